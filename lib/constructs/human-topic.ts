import { RemovalPolicy } from "aws-cdk-lib";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";

/**
 * Creates the key of the topic where no customer's key is configured: alarms publish only to a topic whose key lets
 * CloudWatch use it, and nobody can change the policy of the key that AWS manages for SNS (SNS Developer Guide, "Key
 * management"). It ends with the topic.
 */
export const topicKey = (scope: Construct, id: string): Key =>
  new Key(scope, id, {
    description: "Casement's topic that notifies people",
    enableKeyRotation: true,
    removalPolicy: RemovalPolicy.DESTROY,
  });

/**
 * Creates the topic that notifies people without Slack of everything that needs a human. Alarms publish to it, and a
 * paging service may subscribe. Its policy comes from the reviewed list.
 * @param addresses e-mail addresses, which get mail once they have confirmed
 * @param masterKey encrypts the messages that SNS keeps until they are delivered
 */
export function humanTopic(scope: Construct, id: string, addresses: readonly string[], masterKey: IKey): Topic {
  const topic = new Topic(scope, id, { displayName: "Casement needs a human", masterKey });
  for (const address of addresses) topic.addSubscription(new EmailSubscription(address));
  return topic;
}
