import { Duration } from "aws-cdk-lib";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { acknowledge } from "./acknowledge.ts";

/**
 * Creates a queue for events that could not be handled. SQS keeps them for its longest retention, and an alarm watches
 * the queue. Its policy comes from the reviewed list.
 */
export function deadLetterQueue(scope: Construct, id: string): Queue {
  const queue = new Queue(scope, id, {
    encryption: QueueEncryption.SQS_MANAGED,
    retentionPeriod: Duration.days(14),
  });
  acknowledge(queue, {
    "AwsSolutions-SQS3": "This is itself a dead-letter queue: people read it, nothing consumes it.",
  });
  return queue;
}
