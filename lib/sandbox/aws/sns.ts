import { AwsError, type AwsService } from "../core/aws-service.ts";
import type { Collection, Store } from "../core/store.ts";
import { textOf, type WireResponse } from "../core/wire.ts";
import { element, textElement, XML_DECLARATION } from "./xml.ts";

/** A subscriber by mail. */
export interface Subscriber {
  readonly endpoint: string;
  /** Whether the person followed the link in the mail. */
  readonly confirmed: boolean;
}

/** The part of SNS that lists subscribers. */
export interface Sns {
  readonly service: AwsService;
  /** Adds a subscriber, or records whether a known one has confirmed. */
  subscribe(subscriber: Subscriber): void;
  unsubscribe(endpoint: string): void;
}

const xml = (body: string, status = 200): WireResponse => ({
  status,
  headers: { "content-type": "text/xml" },
  body: `${XML_DECLARATION}${body}`,
});

/**
 * Builds the service: one topic with its subscribers (API Reference, ListSubscriptionsByTopic and "Common Errors").
 * @param topicArn the stack's topic
 * @param mail address of the first subscriber, who has confirmed
 */
export function sns({ store }: { readonly store: Store }, topicArn: string, mail: string): Sns {
  const kept: Collection<Subscriber> = store.collection("sns-subscribers");
  if (kept.values().length === 0) kept.set(mail, { endpoint: mail, confirmed: true });
  const memberOf = ({ endpoint, confirmed }: Subscriber): string =>
    element(
      "member",
      textElement("TopicArn", topicArn) +
        textElement("Protocol", "email") +
        textElement("SubscriptionArn", confirmed ? `${topicArn}:${endpoint}` : "PendingConfirmation") +
        textElement("Endpoint", endpoint),
    );
  return {
    subscribe: (subscriber) => kept.set(subscriber.endpoint, subscriber),
    unsubscribe: (endpoint) => void kept.delete(endpoint),
    service: {
      name: "sns",
      action: (request) => new URLSearchParams(textOf(request)).get("Action") ?? "unknown",
      answer: async (action, request, caller) => {
        if (action !== "ListSubscriptionsByTopic") throw new AwsError("InvalidAction", `no action ${action}`, 400);
        const arn = new URLSearchParams(textOf(request)).get("TopicArn") ?? "";
        caller.require("sns:ListSubscriptionsByTopic", [arn]);
        if (arn !== topicArn) throw new AwsError("NotFound", "Topic does not exist", 404);
        const members = element("Subscriptions", kept.values().map(memberOf).join(""));
        const result = element("ListSubscriptionsByTopicResult", members);
        return xml(element("ListSubscriptionsByTopicResponse", result));
      },
      refuse: ({ code, message, status }) =>
        xml(
          element("ErrorResponse", element("Error", textElement("Code", code) + textElement("Message", message))),
          status,
        ),
    },
  };
}
