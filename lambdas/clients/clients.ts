import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EC2Client } from "@aws-sdk/client-ec2";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { S3Client } from "@aws-sdk/client-s3";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SSMClient } from "@aws-sdk/client-ssm";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { LogLevel, WebClient } from "@slack/web-api";
import { z } from "zod";
import type { Settings } from "../settings.ts";
import { type Kubernetes, kubernetes } from "./kubernetes.ts";
import type { Transport } from "./transport.ts";

const clusterCredential = z.object({ server: z.url(), ca: z.string(), token: z.string().min(1) });
const slackCredential = z.object({ signingSecret: z.string().min(1), botToken: z.string().min(1) });

/** Every client that a step may use. */
export interface Clients {
  readonly ec2: EC2Client;
  readonly ssm: SSMClient;
  readonly s3: S3Client;
  readonly secrets: SecretsManagerClient;
  readonly lambda: LambdaClient;
  readonly ledger: DynamoDBDocumentClient;
  readonly kubernetes: Kubernetes;
  /** Slack's Web API; the token is read from Secrets Manager once. */
  slack(): Promise<WebClient>;
  /** Secret that Slack signs its requests with. */
  signingSecret(): Promise<string>;
}

/**
 * Builds the clients: the only place where an SDK client is made.
 * @param place where we run, by whose credentials
 * @param transport another way out than the network
 */
export function clients(place: Settings, transport?: Transport): Clients {
  const aws = {
    region: place.region,
    credentials: place.credentials,
    ...(place.awsEndpoint ? { endpoint: place.awsEndpoint } : {}),
    ...(transport ? { requestHandler: transport.aws } : {}),
    maxAttempts: 4,
  };
  const secrets = new SecretsManagerClient(aws);
  const secret = remembered(secrets);
  const slackSecrets = async () => slackCredential.parse(JSON.parse(await secret(place.slackSecret, false)));
  const cluster = async (fresh: boolean) =>
    clusterCredential.parse(JSON.parse(await secret(place.clusterSecret, fresh)));
  let slack: WebClient | undefined;
  return {
    ec2: new EC2Client(aws),
    // SendCommand has no idempotency token: the client must not repeat it by itself after a lost answer.
    ssm: new SSMClient({ ...aws, maxAttempts: 1 }),
    s3: new S3Client({ ...aws, forcePathStyle: place.awsEndpoint !== undefined }),
    secrets,
    lambda: new LambdaClient(aws),
    ledger: DynamoDBDocumentClient.from(new DynamoDBClient(aws), { marshallOptions: { removeUndefinedValues: true } }),
    kubernetes: kubernetes(cluster, transport?.kubernetes),
    slack: async () => {
      slack ??= webClient(place.slackUrl, (await slackSecrets()).botToken, transport);
      return slack;
    },
    signingSecret: async () => (await slackSecrets()).signingSecret,
  };
}

/** Secrets by name, read once and again when asked for fresh. */
function remembered(client: SecretsManagerClient): (name: string, fresh: boolean) => Promise<string> {
  const known = new Map<string, string>();
  return async (name, fresh) => {
    const cached = fresh ? undefined : known.get(name);
    if (cached !== undefined) return cached;
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: name }));
    if (SecretString === undefined) throw new Error(`the secret ${name} holds no text`);
    known.set(name, SecretString);
    return SecretString;
  };
}

/** Slack's own defaults are unfit for Lambda: no timeout, ten retries in thirty minutes, sleeping out rate limits. */
const webClient = (slackApiUrl: string, token: string, transport?: Transport): WebClient =>
  new WebClient(token, {
    slackApiUrl,
    timeout: 4_000,
    retryConfig: { retries: 1 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
    ...(transport ? { fetch: transport.fetch } : {}),
  });
