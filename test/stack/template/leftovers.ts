import type { Resource } from "./synthesised.ts";

/**
 * The property by which a template fixes a resource's name, per type (CloudFormation Template Reference, "Name type"); null
 * where the service or CloudFormation chooses a name that nothing had before.
 */
const namedBy: Readonly<Record<string, string | null>> = {
  "AWS::CDK::Metadata": null,
  "AWS::CloudWatch::Alarm": "AlarmName",
  "AWS::CloudWatch::Dashboard": "DashboardName",
  "AWS::DynamoDB::Table": "TableName",
  "AWS::EC2::SecurityGroup": "GroupName",
  "AWS::EC2::SecurityGroupIngress": null,
  "AWS::Events::Rule": "Name",
  "AWS::IAM::InstanceProfile": "InstanceProfileName",
  "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
  "AWS::IAM::Policy": null,
  "AWS::IAM::Role": "RoleName",
  "AWS::KMS::Key": null,
  "AWS::Lambda::Alias": null,
  "AWS::Lambda::EventInvokeConfig": null,
  "AWS::Lambda::Function": "FunctionName",
  "AWS::Lambda::Permission": null,
  "AWS::Lambda::Url": null,
  "AWS::Lambda::Version": null,
  "AWS::Logs::LogGroup": "LogGroupName",
  "AWS::Logs::MetricFilter": "FilterName",
  "AWS::S3::Bucket": "BucketName",
  "AWS::S3::BucketPolicy": null,
  "AWS::SNS::Subscription": null,
  "AWS::SNS::Topic": "TopicName",
  "AWS::SNS::TopicPolicy": null,
  "AWS::SQS::Queue": "QueueName",
  "AWS::SQS::QueuePolicy": null,
  "AWS::SSM::Document": "Name",
  "AWS::SecretsManager::Secret": "Name",
  "Custom::CasementRelease": null,
};

/**
 * The name that the template gives a resource.
 * @returns undefined where a name is chosen for it
 * @throws Error for a type that nobody has looked at yet
 */
export function fixedName({ Type, Properties }: Resource): unknown {
  const property = namedBy[Type];
  if (property === undefined) throw new Error(`find out by which property a template names a ${Type}, and add it here`);
  return property === null ? undefined : Properties?.[property];
}

/** Resources of a stack by their logical id. */
export type Resources = ReadonlyMap<string, Resource>;

const where = (resources: Resources, holds: (resource: Resource) => boolean): Resources =>
  new Map([...resources].filter(([, resource]) => holds(resource)));

/**
 * Resources that a deployment leaves outside the stack when it fails and CloudFormation takes it back: of those that it
 * made, the ones that are to be kept even then (Template Reference, "DeletionPolicy attribute").
 * @param before the stack before the deployment, empty at the first one
 */
export const leftByRollback = (before: Resources, next: Resources): Resources =>
  where(next, ({ id, DeletionPolicy }) => !before.has(id) && DeletionPolicy === "Retain");

/** Resources that a deleted stack leaves; a function takes its versions along (Lambda API Reference, DeleteFunction). */
export const leftByDeletion = (stack: Resources): Resources =>
  where(
    stack,
    ({ Type, DeletionPolicy = "Delete" }) =>
      ["Retain", "RetainExceptOnCreate"].includes(DeletionPolicy) && Type !== "AWS::Lambda::Version",
  );

/**
 * Resources of a deployment that cannot be made because something was left outside the stack: a name that is taken, or a
 * version of code that Lambda has published already ("A version for this Lambda function exists").
 */
export function collisions(left: Resources, before: Resources, next: Resources): string[] {
  const taken = new Set(
    [...left.values()].filter((one) => fixedName(one)).map((one) => `${one.Type} ${fixedName(one)}`),
  );
  const made = [...where(next, ({ id }) => !before.has(id)).values()];
  return made
    .filter((one) => taken.has(`${one.Type} ${fixedName(one)}`) || (isVersion(one) && left.has(one.id)))
    .map(({ id }) => id);
}

// The logical id of a version holds the hash of its function's code and configuration (CDK, `currentVersion`).
const isVersion = ({ Type }: Resource): boolean => Type === "AWS::Lambda::Version";
