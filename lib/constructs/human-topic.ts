import { ArnFormat, Stack } from "aws-cdk-lib";
import { Effect, PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";

/**
 * What needs a human, said without Slack. Alarms publish to it, and a subscriber may page.
 * @param addresses get mail once they have confirmed
 */
export function humanTopic(scope: Construct, id: string, addresses: readonly string[]): Topic {
  const stack = Stack.of(scope);
  const topic = new Topic(scope, id, { displayName: "Casement needs a human", enforceSSL: true });
  const alarms = {
    service: "cloudwatch",
    resource: "alarm",
    resourceName: "*",
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  };
  // A topic with a policy of its own has no other: without this statement CloudWatch could not publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: "AlarmsPublish",
      effect: Effect.ALLOW,
      principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
      actions: ["sns:Publish"],
      resources: [topic.topicArn],
      conditions: { ArnLike: { "aws:SourceArn": stack.formatArn(alarms) } },
    }),
  );
  for (const address of addresses) topic.addSubscription(new EmailSubscription(address));
  return topic;
}
