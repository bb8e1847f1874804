import { Duration } from "aws-cdk-lib";
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type BucketProps,
  ObjectLockRetention,
  ObjectOwnership,
} from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import type { Deployment } from "../deployment.ts";
import { acknowledge } from "./acknowledge.ts";
import { RETAINED_ONCE_DEPLOYED } from "./retained.ts";

/** Retention of everything in the bucket, where it is configured. */
type Audit = Deployment["aws"]["audit"];

/** CloudFormation replaces a bucket whose Object Lock is switched on later, so it belongs to the first deployment. */
function objectLock(audit: Audit): BucketProps {
  if (!audit) return {};
  const { mode, days } = audit.objectLock;
  const retention = mode === "governance" ? ObjectLockRetention.governance : ObjectLockRetention.compliance;
  return { objectLockEnabled: true, objectLockDefaultRetention: retention(Duration.days(days)) };
}

/**
 * Release documents, payload, plans, screenshots and copies of the audit. Versioned: executions and nodes name the version
 * that they go by. Its policy is the reviewed list's.
 */
export function machineBucket(scope: Construct, id: string, audit: Audit): Bucket {
  const bucket = new Bucket(scope, id, {
    versioned: true,
    ...objectLock(audit),
    encryption: BucketEncryption.S3_MANAGED,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    removalPolicy: RETAINED_ONCE_DEPLOYED,
    lifecycleRules: [
      // A plan is read once, minutes after it was written, and may be asked for while its operation is discussed.
      { prefix: "plans/", expiration: Duration.days(30), noncurrentVersionExpiration: Duration.days(1) },
      // The link to a screenshot lapses after an hour.
      { prefix: "screenshots/", expiration: Duration.days(1), noncurrentVersionExpiration: Duration.days(1) },
      { abortIncompleteMultipartUploadAfter: Duration.days(7) },
    ],
  });
  acknowledge(bucket, {
    "AwsSolutions-S1":
      "Every object is named by version and sha256 by its reader; who wrote one is in CloudTrail's data events, which the account's owner turns on.",
  });
  return bucket;
}
