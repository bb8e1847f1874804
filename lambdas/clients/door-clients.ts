import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { LogLevel, WebClient } from "@slack/web-api";
import type { Settings } from "../settings.ts";
import type { Transport } from "./transport.ts";

/** The clients that every function has, and all that a door needs: whatever is imported here delays the first answer. */
export interface DoorClients {
  readonly secrets: SecretsManagerClient;
  readonly lambda: LambdaClient;
  readonly ledger: DynamoDBDocumentClient;
  /** A secret's text by its name: read once, and again when asked for fresh. */
  secret(name: string, fresh: boolean): Promise<string>;
  /** Slack's Web API; the token is read from Secrets Manager once. */
  slack(): Promise<WebClient>;
  /** Secret that Slack signs its requests with. */
  signingSecret(): Promise<string>;
}

/** What all of AWS's clients are built from. */
export const awsConfiguration = (place: Settings, transport?: Transport, maxAttempts = 4) => ({
  region: place.region,
  credentials: place.credentials,
  ...(place.awsEndpoint ? { endpoint: place.awsEndpoint } : {}),
  ...(transport ? { requestHandler: transport.aws } : {}),
  maxAttempts,
});

/**
 * Builds the clients of the doors.
 * @param place where we run, by whose credentials
 * @param transport another way out than the network
 * @param maxAttempts how often a call to AWS is made at most; between them the SDK waits up to 0.5, 1, 2 … seconds
 */
export function doorClients(place: Settings, transport?: Transport, maxAttempts?: number): DoorClients {
  const configuration = awsConfiguration(place, transport, maxAttempts);
  const secrets = new SecretsManagerClient(configuration);
  // One way out for all of them: it is built once, and so are its connections.
  const aws = { ...configuration, requestHandler: secrets.config.requestHandler };
  const secret = remembered(secrets);
  const slackSecrets = async () => slackCredential(await secret(place.slackSecret, false));
  let slack: WebClient | undefined;
  return {
    secrets,
    lambda: new LambdaClient(aws),
    ledger: documents(aws),
    secret,
    slack: async () => {
      slack ??= webClient(place.slackUrl, (await slackSecrets()).botToken, transport);
      return slack;
    },
    signingSecret: async () => (await slackSecrets()).signingSecret,
  };
}

const documents = (aws: DynamoDBClientConfig): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(aws), { marshallOptions: { removeUndefinedValues: true } });

/** Secrets by name; requests at the same moment share one reading, a failed one is not remembered. */
function remembered(client: SecretsManagerClient): DoorClients["secret"] {
  const known = new Map<string, Promise<string>>();
  const read = async (name: string): Promise<string> => {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: name }));
    if (SecretString === undefined) throw new Error(`the secret ${name} holds no text`);
    return SecretString;
  };
  return (name, fresh) => {
    const cached = fresh ? undefined : known.get(name);
    if (cached) return cached;
    const reading = read(name);
    known.set(name, reading);
    reading.catch(() => known.delete(name));
    return reading;
  };
}

/** Checked by hand: a schema library would cost the door more time than everything it does. */
function slackCredential(text: string): { readonly signingSecret: string; readonly botToken: string } {
  const { signingSecret, botToken } = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (typeof signingSecret !== "string" || typeof botToken !== "string" || !signingSecret || !botToken)
    throw new Error("the secret of the Slack app must be JSON with signingSecret and botToken");
  return { signingSecret, botToken };
}

/**
 * Slack's own defaults are unfit for Lambda: no timeout, ten retries in thirty minutes, sleeping out rate limits. Nor may
 * the client repeat a call by itself: after a lost answer a message would stand there twice. Steps do, and look first.
 */
const webClient = (slackApiUrl: string, token: string, transport?: Transport): WebClient =>
  new WebClient(token, {
    slackApiUrl,
    timeout: 4_000,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
    ...(transport ? { fetch: transport.fetch } : {}),
  });
