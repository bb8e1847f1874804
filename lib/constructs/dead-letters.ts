import { Duration } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Queue, QueueEncryption } from "aws-cdk-lib/aws-sqs";
import type { Construct } from "constructs";
import { acknowledge } from "./acknowledge.ts";

/**
 * Creates a queue for events that could not be handled. SQS keeps them for its longest retention, and an alarm watches
 * the queue. Its policy comes from the reviewed list.
 * @param key the customer's, if one is configured
 */
export function deadLetterQueue(scope: Construct, id: string, key: IKey | undefined): Queue {
  const queue = new Queue(scope, id, {
    ...(key
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key }
      : { encryption: QueueEncryption.SQS_MANAGED }),
    retentionPeriod: Duration.days(14),
  });
  acknowledge(queue, {
    "AwsSolutions-SQS3": "This is itself a dead-letter queue: people read it, nothing consumes it.",
  });
  return queue;
}
