import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";

/**
 * Creates the topic that notifies people without Slack of everything that needs a human. Alarms publish to it, and a
 * paging service may subscribe. Its policy comes from the reviewed list.
 * @param addresses e-mail addresses, which get mail once they have confirmed
 */
export function humanTopic(scope: Construct, id: string, addresses: readonly string[]): Topic {
  const topic = new Topic(scope, id, { displayName: "Casement needs a human" });
  for (const address of addresses) topic.addSubscription(new EmailSubscription(address));
  return topic;
}
