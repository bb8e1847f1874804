import type { AwsCall } from "./aws-call.ts";

/** Subscribers of an SNS topic by their endpoints: e-mail addresses, phone numbers, ARNs. */
export interface Subscriptions {
  readonly confirmed: readonly string[];
  /** Subscribers who have not confirmed by e-mail yet. */
  readonly pending: readonly string[];
}

const MEMBER = /<member>([\s\S]*?)<\/member>/g;

const fieldOf = (member: string, name: string): string =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(member)?.[1] ?? "";

/** Reads the first hundred subscriptions of a topic (API ListSubscriptionsByTopic, SNS's query protocol). */
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
    // Until a subscription is confirmed, its ARN is "PendingConfirmation" (API Reference, Subscription).
    const isPending = (member: string): boolean => !fieldOf(member, "SubscriptionArn").startsWith("arn:");
    const endpoints = (of: readonly string[]): string[] => of.map((member) => fieldOf(member, "Endpoint"));
    return {
      confirmed: endpoints(members.filter((member) => !isPending(member))),
      pending: endpoints(members.filter(isPending)),
    };
  };
