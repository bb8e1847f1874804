import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";

/**
 * Makes the topic for everything that needs a human and is said without Slack. Alarms publish to it, and a subscriber may
 * page. Its policy is the reviewed list's.
 * @param addresses get mail once they have confirmed
 */
export function humanTopic(scope: Construct, id: string, addresses: readonly string[]): Topic {
  const topic = new Topic(scope, id, { displayName: "Casement needs a human" });
  for (const address of addresses) topic.addSubscription(new EmailSubscription(address));
  return topic;
}
