import { Duration } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
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

/** Retention of everything in the bucket, if it is configured. */
type Audit = Deployment["aws"]["audit"];

/** Object Lock, from the first deployment on: CloudFormation would replace a bucket to enable it later. */
function objectLock(audit: Audit): BucketProps {
  if (!audit || audit.objectLock === "none") return {};
  const { mode, days } = audit.objectLock;
  const retention = mode === "governance" ? ObjectLockRetention.governance : ObjectLockRetention.compliance;
  return { objectLockEnabled: true, objectLockDefaultRetention: retention(Duration.days(days)) };
}

/**
 * Creates the bucket for release documents, payload, plans, screenshots and copies of the audit. It is versioned,
 * because executions and nodes name the version that they use. Its policy comes from the reviewed list.
 * @param key the customer's, if one is configured; objects that exist already keep the encryption that they have
 */
export function machineBucket(scope: Construct, id: string, audit: Audit, key: IKey | undefined): Bucket {
  const bucket = new Bucket(scope, id, {
    versioned: true,
    ...objectLock(audit),
    ...(key ? { encryption: BucketEncryption.KMS, encryptionKey: key } : { encryption: BucketEncryption.S3_MANAGED }),
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    removalPolicy: RETAINED_ONCE_DEPLOYED,
    lifecycleRules: [
      // A machine reads a plan once, minutes after it was written; people may read it while they investigate.
      { prefix: "plans/", expiration: Duration.days(30), noncurrentVersionExpiration: Duration.days(1) },
      // The link to a screenshot expires after an hour.
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
