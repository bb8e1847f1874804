import { Duration } from "aws-cdk-lib";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { acknowledge } from "./acknowledge.ts";
import { RETAINED_ONCE_DEPLOYED } from "./retained.ts";

/**
 * Release documents, payload and plans. Versioned: executions and nodes name the version that they go by. Its policy is
 * the reviewed list's.
 */
export function machineBucket(scope: Construct, id: string): Bucket {
  const bucket = new Bucket(scope, id, {
    versioned: true,
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    removalPolicy: RETAINED_ONCE_DEPLOYED,
    lifecycleRules: [
      // A plan is read once, minutes after it was written, and may be asked for while its operation is discussed.
      { prefix: "plans/", expiration: Duration.days(30), noncurrentVersionExpiration: Duration.days(1) },
      { abortIncompleteMultipartUploadAfter: Duration.days(7) },
    ],
  });
  acknowledge(bucket, {
    "AwsSolutions-S1":
      "Every object is named by version and sha256 by its reader; who wrote one is in CloudTrail's data events, which the account's owner turns on.",
  });
  return bucket;
}
