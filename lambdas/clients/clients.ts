import { EC2Client } from "@aws-sdk/client-ec2";
import { LambdaClient } from "@aws-sdk/client-lambda";
import type { S3Client } from "@aws-sdk/client-s3";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SSMClient } from "@aws-sdk/client-ssm";
import { secretOf } from "../cluster/accounts.ts";
import { accountOf, type Settings } from "../settings.ts";
import { autoScaling, type GroupMember } from "./auto-scaling.ts";
import { awsCalls } from "./aws-call.ts";
import { clusterCredentialOf } from "./cluster-credential.ts";
import { type Events, events } from "./events.ts";
import { type FrontDoorClients, frontDoorClients } from "./front-door-clients.ts";
import { type Invoke, invoker } from "./invoke.ts";
import { type KeyFacts, keyReader } from "./keys.ts";
import { type ClusterCredential, type Kubernetes, kubernetes } from "./kubernetes.ts";
import { awsOptions, s3Client } from "./s3.ts";
import { type Subscriptions, subscriptions } from "./subscriptions.ts";
import type { Transport } from "./transport.ts";
import { watched } from "./watched.ts";

/** All clients that steps use. */
export interface Clients extends FrontDoorClients {
  readonly ec2: EC2Client;
  /** Sends each request once, for RunInstances and RebootInstances, which must not be retried automatically. */
  readonly ec2Once: EC2Client;
  readonly ssm: SSMClient;
  readonly s3: S3Client;
  readonly secrets: SecretsManagerClient;
  /** For the durable engine, which stores its state through Lambda's API. */
  readonly lambda: LambdaClient;
  readonly kubernetes: Kubernetes;
  /** A client of the same cluster with another credential, to try a new one before it replaces the current one. */
  kubernetesWith(credential: ClusterCredential): Kubernetes;
  readonly events: Events;
  /** Calls a function that answers at once. */
  readonly invoke: Invoke;
  /** Reads an instance's state in its Auto Scaling group; null for an instance that belongs to no group. */
  groupMember(instanceId: string): Promise<GroupMember | null>;
  /** Lists the subscribers of an SNS topic. */
  subscriptions(topicArn: string): Promise<Subscriptions>;
  /** Reads state, kind and policy of a key of KMS. */
  key(arn: string): Promise<KeyFacts>;
}

/**
 * Builds the clients. Only this folder creates SDK clients.
 * @param settings region and credentials of the function
 * @param transport replaces the network
 */
export function clients(settings: Settings, transport?: Transport): Clients {
  const aws = awsOptions(settings, transport);
  const ofDoors = frontDoorClients(settings, transport);
  const credential = async (fresh: boolean) =>
    clusterCredentialOf(await ofDoors.secret(secretOf(settings.cluster, accountOf(settings)), fresh));
  return {
    ...ofDoors,
    ec2: watched("ec2", new EC2Client(aws)),
    // EC2 answers "no capacity" with status 500, which the SDK would retry, and a second reboot order may break the
    // boot that the first one began. If EC2 is only busy, the step retries.
    ec2Once: watched("ec2", new EC2Client({ ...aws, maxAttempts: 1 })),
    // SendCommand has no idempotency token, so the client must not retry after a lost answer.
    ssm: watched("ssm", new SSMClient({ ...aws, maxAttempts: 1 })),
    s3: s3Client(settings, transport),
    secrets: watched("secretsmanager", new SecretsManagerClient(aws)),
    lambda: watched("lambda", new LambdaClient(aws)),
    kubernetes: kubernetes(credential, transport?.kubernetes),
    kubernetesWith: (other) => kubernetes(async () => other, transport?.kubernetes),
    events: events(awsCalls(settings, transport)),
    invoke: invoker(awsCalls(settings, transport)),
    groupMember: autoScaling(awsCalls(settings, transport)),
    subscriptions: subscriptions(awsCalls(settings, transport)),
    key: keyReader(awsCalls(settings, transport)),
  };
}
