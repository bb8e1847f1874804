import type { AwsCall } from "./aws-call.ts";

/** Subscribers of an SNS topic, by the address they receive at: mail addresses, numbers, ARNs. */
export interface Subscriptions {
  readonly confirmed: readonly string[];
  /** Have not yet followed the link in the mail that asked them. */
  readonly pending: readonly string[];
}

const MEMBER = /<member>([\s\S]*?)<\/member>/g;

const fieldOf = (member: string, name: string): string =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(member)?.[1] ?? "";

/**
 * Reads the first hundred subscriptions of a topic (API ListSubscriptionsByTopic, SNS's query protocol).
 * @param topicArn whose
 */
export const subscriptions =
  (call: AwsCall) =>
  async (topicArn: string): Promise<Subscriptions> => {
    const parameters = { Action: "ListSubscriptionsByTopic", Version: "2010-03-31", TopicArn: topicArn };
    const { text = "" } = await call({
      service: "sns",
      method: "POST",
      path: "/",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(parameters).toString(),
    });
    const members = [...String(text).matchAll(MEMBER)].map(([, member = ""]) => member);
    // API Reference, Subscription: until it is confirmed, its ARN reads "PendingConfirmation".
    const isPending = (member: string): boolean => !fieldOf(member, "SubscriptionArn").startsWith("arn:");
    const endpoints = (of: readonly string[]): string[] => of.map((member) => fieldOf(member, "Endpoint"));
    return {
      confirmed: endpoints(members.filter((member) => !isPending(member))),
      pending: endpoints(members.filter(isPending)),
    };
  };
