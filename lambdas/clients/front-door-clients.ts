import { LogLevel, type WebAPICallResult, WebAPIPlatformError, WebClient } from "@slack/web-api";
import type { Settings } from "../settings.ts";
import { awsCalls } from "./aws-call.ts";
import { type DynamoDb, dynamodb } from "./dynamodb.ts";
import { type Functions, functions } from "./functions.ts";
import { logRefusal } from "./refusals.ts";
import { DOUBT_MS, KEEP_MS, secrets } from "./secrets.ts";
import type { Transport } from "./transport.ts";

/**
 * Clients of every function, and all that the front door and the event handler need: every import here delays the first
 * answer.
 */
export interface FrontDoorClients {
  readonly dynamodb: DynamoDb;
  readonly functions: Functions;
  /** A secret's text by its name: kept for a while, and read now when asked for fresh. */
  secret(name: string, fresh: boolean): Promise<string>;
  /** Slack's Web API, with the token that Secrets Manager held minutes ago, or the new one when Slack refuses that. */
  slack(): Promise<WebClient>;
  /**
   * Secret that Slack signs its requests with.
   * @param doubted a signature did not fit: unless it was read a moment ago, it is read again
   */
  signingSecret(doubted: boolean): Promise<string>;
}

/** Limits on the time that a caller is kept waiting. */
export interface Patience {
  /** Number of times a call to AWS is made at most; between them it waits up to 0.5, 1, 2 … seconds. */
  readonly attempts?: number;
  /** Milliseconds for a call to Slack; default 4,000. */
  readonly slack?: number;
}

/**
 * Builds the clients of the front door and the event handler.
 * @param settings where we run, by whose credentials
 * @param transport replaces the network (tests)
 * @param patience how long calls may take
 * @param now milliseconds since the epoch: the age of what is kept
 */
export function frontDoorClients(
  settings: Settings,
  transport?: Transport,
  patience: Patience = {},
  now: () => number = Date.now,
): FrontDoorClients {
  const call = awsCalls(settings, transport, patience.attempts);
  const kept = secrets(call, now);
  const slackSecrets = async (atMost: number) =>
    slackCredential(settings.slackSecret, await kept.read(settings.slackSecret, atMost));
  const newToken = async () => (await slackSecrets(DOUBT_MS)).botToken;
  let slack: WebClient | undefined;
  return {
    dynamodb: dynamodb(call),
    functions: functions(call),
    secret: (name, fresh) => kept.read(name, fresh ? 0 : KEEP_MS),
    slack: async () => {
      const { botToken } = await slackSecrets(KEEP_MS);
      if (slack?.token !== botToken)
        slack = webClient(settings.slackUrl, botToken, newToken, patience.slack, transport);
      return slack;
    },
    signingSecret: async (doubted) => (await slackSecrets(doubted ? DOUBT_MS : KEEP_MS)).signingSecret,
  };
}

/** A JSON object's fields; none for anything else. V8's own error would quote the secret's first characters. */
function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/**
 * Reads the Slack app's secret; by hand: a schema library would cost the front door more time than everything it does.
 * @param name the secret's, for the error, which never says a value
 */
function slackCredential(name: string, text: string): { readonly signingSecret: string; readonly botToken: string } {
  const { signingSecret, botToken } = fieldsIn(text);
  if (typeof signingSecret !== "string" || typeof botToken !== "string" || !signingSecret || !botToken)
    throw new Error(`the secret ${name} must be JSON with signingSecret and botToken (docs/deploy.md)`);
  return { signingSecret, botToken };
}

/**
 * Slack's own defaults are unfit for Lambda: no timeout, ten retries in thirty minutes, sleeping out rate limits. Nor may
 * the client repeat a call by itself: after a lost answer a message would be posted twice. Steps repeat it, and search for
 * the message first.
 */
const webClient = (
  slackApiUrl: string,
  token: string,
  newToken: () => Promise<string>,
  timeout = 4_000,
  transport?: Transport,
): WebClient =>
  new RenewingClient(newToken, token, {
    slackApiUrl,
    timeout,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
    ...(transport ? { fetch: transport.fetch } : {}),
  });

/** Slack's codes for a token that holds no more (docs: chat.postMessage, errors). */
const REFUSED: ReadonlySet<string> = new Set(["invalid_auth", "token_revoked", "token_expired", "account_inactive"]);

const refusesToken = (error: unknown): boolean => error instanceof WebAPIPlatformError && REFUSED.has(error.data.error);

/** A token that Slack refuses may have been replaced: the call, of which nothing was done, is made with the new one. */
class RenewingClient extends WebClient {
  readonly #newToken: () => Promise<string>;

  constructor(newToken: () => Promise<string>, ...rest: ConstructorParameters<typeof WebClient>) {
    super(...rest);
    this.#newToken = newToken;
  }

  override async apiCall(method: string, options: Record<string, unknown> = {}): Promise<WebAPICallResult> {
    try {
      return await this.#calledTwice(method, options);
    } catch (error) {
      const { code = "unknown", statusCode: status = 0, data } = Object(error);
      logRefusal({ service: "slack", action: method, code: Object(data).error ?? code, status });
      throw error;
    }
  }

  async #calledTwice(method: string, options: Record<string, unknown>): Promise<WebAPICallResult> {
    try {
      return await super.apiCall(method, options);
    } catch (error) {
      if (!refusesToken(error)) throw error;
      const token = await this.#newToken();
      if (token === this.token) throw error;
      return super.apiCall(method, { ...options, token });
    }
  }
}
