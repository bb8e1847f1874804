import { LogLevel, WebClient } from "@slack/web-api";
import type { Settings } from "../settings.ts";
import { type AwsCall, awsCalls } from "./aws-call.ts";
import { dynamodb, type Ledger } from "./dynamodb.ts";
import { type Functions, functions } from "./functions.ts";
import type { Transport } from "./transport.ts";

/** The clients that every function has, and all that a door needs: whatever is imported here delays the first answer. */
export interface DoorClients {
  readonly ledger: Ledger;
  readonly functions: Functions;
  /** A secret's text by its name: read once, and again when asked for fresh. */
  secret(name: string, fresh: boolean): Promise<string>;
  /** Slack's Web API; the token is read from Secrets Manager once. */
  slack(): Promise<WebClient>;
  /** Secret that Slack signs its requests with. */
  signingSecret(): Promise<string>;
}

/**
 * Builds the clients of the doors.
 * @param place where we run, by whose credentials
 * @param transport another way out than the network
 * @param maxAttempts how often a call to AWS is made at most; between them it waits up to 0.5, 1, 2 … seconds
 */
export function doorClients(place: Settings, transport?: Transport, maxAttempts?: number): DoorClients {
  const call = awsCalls(place, transport, maxAttempts);
  const secret = remembered(call);
  const slackSecrets = async () => slackCredential(await secret(place.slackSecret, false));
  let slack: WebClient | undefined;
  return {
    ledger: dynamodb(call),
    functions: functions(call),
    secret,
    slack: async () => {
      slack ??= webClient(place.slackUrl, (await slackSecrets()).botToken, transport);
      return slack;
    },
    signingSecret: async () => (await slackSecrets()).signingSecret,
  };
}

/** Secrets by name; requests at the same moment share one reading, a failed one is not remembered. */
function remembered(call: AwsCall): DoorClients["secret"] {
  const known = new Map<string, Promise<string>>();
  const read = async (name: string): Promise<string> => {
    const { SecretString } = await call({
      service: "secretsmanager",
      method: "POST",
      path: "/",
      headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": "secretsmanager.GetSecretValue" },
      body: JSON.stringify({ SecretId: name }),
    });
    if (typeof SecretString !== "string") throw new Error(`the secret ${name} holds no text`);
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
