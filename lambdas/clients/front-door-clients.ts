import { LogLevel, type WebAPICallResult, WebAPIPlatformError, WebClient } from "@slack/web-api";
import type { Settings } from "../settings.ts";
import { awsCalls } from "./aws-call.ts";
import { type DynamoDb, dynamodb } from "./dynamodb.ts";
import { type Functions, functions } from "./functions.ts";
import { logRefusal } from "./refusals.ts";
import { type Respond, responder } from "./respond.ts";
import { DOUBT_MS, KEEP_MS, secrets } from "./secrets.ts";
import type { Transport } from "./transport.ts";

/**
 * Clients that every function has, and the only ones that the front door and the event handler need. Each import here
 * delays the first answer.
 */
export interface FrontDoorClients {
  readonly dynamodb: DynamoDb;
  readonly functions: Functions;
  /** Reads a secret's text by its name, from a cache unless `fresh` is set. */
  secret(name: string, fresh: boolean): Promise<string>;
  /** Slack's Web API with the cached token. If Slack rejects that token, the client reads the secret again. */
  slack(): Promise<WebClient>;
  /** Answers a command or a click at the response URL that Slack sent with it. */
  readonly respond: Respond;
  /**
   * Reads the secret with which Slack signs its requests.
   * @param doubted true if a signature did not match: reads the secret again, unless it was read a moment ago
   */
  signingSecret(doubted: boolean): Promise<string>;
}

/** Limits on the time that a call may take. */
export interface Patience {
  /** Limit on the attempts of a call to AWS; the pauses between them are up to 0.5, 1, 2 … seconds. */
  readonly attempts?: number;
  /** Milliseconds for a call to Slack; default 4,000. */
  readonly slack?: number;
}

/**
 * Builds the clients of the front door and the event handler.
 * @param settings region and credentials of the function
 * @param transport replaces the network (tests)
 * @param patience limits on the time of calls
 * @param now milliseconds since the epoch, for the age of cached secrets
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
    respond: responder(settings.slackUrl, transport?.fetch),
    signingSecret: async (doubted) => (await slackSecrets(doubted ? DOUBT_MS : KEEP_MS)).signingSecret,
  };
}

/**
 * Parses a JSON object; returns no fields for any other text. V8's own error would quote the secret's first characters.
 */
function fieldsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/**
 * Parses the Slack app's secret by hand, because a schema library would take the front door more time than all its
 * other work.
 * @param name the secret's name, for the error, which never contains a value
 */
function slackCredential(name: string, text: string): { readonly signingSecret: string; readonly botToken: string } {
  const { signingSecret, botToken } = fieldsIn(text);
  if (typeof signingSecret !== "string" || typeof botToken !== "string" || !signingSecret || !botToken)
    throw new Error(`the secret ${name} must be JSON with signingSecret and botToken (docs/deploy.md)`);
  return { signingSecret, botToken };
}

/**
 * Builds Slack's client. Its defaults do not fit Lambda: no timeout, ten retries in thirty minutes, and sleeping
 * through rate limits. The client must not retry either: after a lost answer it would post a message twice. Steps retry
 * instead, and search for the message first.
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

/** Slack's codes for a token that is no longer valid (docs: chat.postMessage, errors). */
const REFUSED: ReadonlySet<string> = new Set(["invalid_auth", "token_revoked", "token_expired", "account_inactive"]);

const refusesToken = (error: unknown): boolean => error instanceof WebAPIPlatformError && REFUSED.has(error.data.error);

/**
 * Repeats a call with the newest token if Slack rejects the token: it may have been replaced, and Slack has not carried
 * out the call.
 */
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
