import { Stack } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import type { Deployment } from "../deployment.ts";
import { type FunctionName, functionNames } from "../functions.ts";
import type { Place } from "../place.ts";
import { checkPolicySizes } from "../policy-size.ts";
import { UNDELIVERED } from "../resource-policies.ts";
import { codePermissionsFor, resourcePoliciesFor } from "../role-permissions.ts";
import type { EventRules } from "./event-rules.ts";
import type { HandlerFunction } from "./handler-function.ts";
import type { NodeIdentity } from "./node-identity.ts";
import type { NodeNetwork } from "./node-network.ts";
import { resourceStatement } from "./permissions-policy.ts";
import type { Release } from "./release.ts";

/** Everything in the stack that has permissions, has a resource policy, or is named by a policy. */
export interface Holders {
  readonly handlers: Readonly<Record<FunctionName, HandlerFunction>>;
  readonly release: Release;
  readonly events: EventRules;
  readonly nodes: NodeIdentity;
  readonly network: NodeNetwork;
  readonly bucket: Bucket;
  readonly topic: Topic;
  /** Key of the topic: the customer's, whose policy the stack cannot change, or the stack's own. */
  readonly topicKey: IKey;
  readonly ledger: Table;
}

type Pool = Deployment["pools"][string];

/** Collects a value of all pools, without duplicates. */
const ofPools = ({ pools }: Deployment, of: (pool: Pool) => readonly string[]): string[] => [
  ...new Set(Object.values(pools).flatMap(of)),
];

/**
 * Collects the values for the placeholders of the reviewed list. CloudFormation chooses the names of functions, roles,
 * groups and queues.
 */
function placeOf(scope: Construct, deployment: Deployment, holders: Holders): Place {
  const { account, region } = Stack.of(scope);
  const { handlers, release, events, nodes, network, bucket, topic, topicKey, ledger } = holders;
  const functions = Object.entries({ ...handlers, release: release.publisher });
  const each = (name: (handler: HandlerFunction) => string | undefined) =>
    Object.fromEntries(functions.map(([principal, handler]) => [principal, name(handler)]));
  return {
    account,
    region,
    cluster: deployment.cluster.name,
    bucket: bucket.bucketName,
    table: ledger.tableName,
    topic: topic.topicName,
    topicKey: topicKey.keyArn,
    key: deployment.aws.key,
    clusterId: deployment.cluster.id,
    subnets: ofPools(deployment, ({ subnets }) => subnets),
    instanceTypes: ofPools(deployment, ({ instanceTypes }) => instanceTypes),
    metadataTokens: ofPools(deployment, ({ metadataTokens }) => [metadataTokens]),
    volumeKey: deployment.aws.volumeKey,
    machineTags: Object.keys(deployment.aws.tags),
    imageRepositories: deployment.aws.imageRepositories ?? [`arn:aws:ecr:*:${account}:repository/*`],
    imageCaches: deployment.aws.imageCaches,
    instanceProfile: nodes.profile.instanceProfileName,
    nodeGroup: network.groupId,
    functionsInVpc: deployment.aws.functionsNetwork !== undefined,
    names: { ...each(({ lambda }) => lambda.functionName), node: nodes.role.roleName },
    logGroups: each(({ logGroup }) => logGroup.logGroupName),
    queues: { ...each(({ deadLetters }) => deadLetters?.queueName), [UNDELIVERED]: events.undelivered.queueName },
  };
}

/**
 * Grants every principal and resource in the stack exactly the permissions of the reviewed list.
 * @throws Error if a role's policy would be larger than IAM allows
 */
export function grant(scope: Construct, deployment: Deployment, holders: Holders): void {
  const { handlers, release, events, nodes, bucket, topic, topicKey } = holders;
  const place = placeOf(scope, deployment, holders);
  checkPolicySizes(place);
  const policies = resourcePoliciesFor(place);
  for (const name of functionNames) {
    handlers[name].permit(codePermissionsFor(name, place));
    handlers[name].guard(policies[`queue:${name}`] ?? []);
  }
  release.permit(codePermissionsFor("release", place));
  events.permit(codePermissionsFor("publisher", place), policies[`queue:${UNDELIVERED}`] ?? []);
  nodes.permit(codePermissionsFor("node", place));
  for (const statement of policies.bucket ?? []) bucket.addToResourcePolicy(resourceStatement(statement));
  for (const statement of policies.topic ?? []) topic.addToResourcePolicy(resourceStatement(statement));
  for (const statement of policies["key:topic"] ?? []) topicKey.addToResourcePolicy(resourceStatement(statement));
}
