import { App, AwsLambdaReceiver, type Logger, LogLevel } from "@slack/bolt";
import { WebClient } from "@slack/web-api";
import type { Clock } from "../../../lib/sandbox/core/clock.ts";
import type { Simulation } from "../../../lib/sandbox/core/simulation.ts";
import { openStore, type Store } from "../../../lib/sandbox/core/store.ts";
import type { WireRequest, WireResponse } from "../../../lib/sandbox/core/wire.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { type Slack, slack } from "../../../lib/sandbox/slack/slack.ts";
import type { SlackOptions } from "../../../lib/sandbox/slack/workspace.ts";
import { simulationFor } from "../aws/fixture.ts";
import { manualClock as clockAt } from "../manual-clock.ts";

export const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
export const TOKEN = "xoxb-sandbox";
export const CHANNEL = demo.slack.channelId;
export const OPERATOR = "U0OPERATOR";
export const VISITOR = "U0VISITOR0";

/** Starts at the real time: Bolt compares signatures' dates with the real clock. */
export const manualClock = () => clockAt(Date.now());

export const simulationAt = (clock: Clock, store: Store = openStore(":memory:")): Simulation =>
  simulationFor(clock, { store });

/** A request URL that answers everything with the same; it remembers what it was asked. */
export function silentApp(response: Partial<WireResponse> = {}) {
  const requests: WireRequest[] = [];
  return {
    requests,
    /** The JSON payload of the last click or dialog, or the fields of the last command. */
    last: () => {
      const fields = Object.fromEntries(new URLSearchParams(Buffer.from(requests.at(-1)?.body ?? []).toString()));
      return fields.payload ? JSON.parse(fields.payload) : fields;
    },
    requestUrl: async (request: WireRequest): Promise<WireResponse> => {
      requests.push(request);
      return { status: 200, headers: {}, body: "", ...response };
    },
  };
}

/** A simulated Slack on a clock of the hand. */
export function bench(
  options: Partial<SlackOptions> = {},
  clock = manualClock(),
  store: Store = openStore(":memory:"),
) {
  const simulation = simulationAt(clock, store);
  const app = silentApp();
  const service = slack(simulation, {
    demo,
    signingSecret: SECRET,
    botToken: TOKEN,
    requestUrl: app.requestUrl,
    host: clock,
    address: () => "http://slack.test",
    ...options,
  });
  return { clock, simulation, service, app, client: clientOf(service) };
}

const inProcess =
  (service: Slack) =>
  async (url: string | URL, init: { method?: string; headers?: Record<string, string>; body?: unknown } = {}) => {
    const headers = Object.fromEntries(
      Object.entries(init.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const { pathname, search } = new URL(url);
    const body = Buffer.from(String(init.body ?? ""));
    const answer = await service.answer({ method: init.method ?? "GET", url: pathname + search, headers, body });
    return new Response(String(answer.body), { status: answer.status, headers: answer.headers });
  };

const nothing = (): void => {};

/** The clients' own complaints about refusals that the tests provoke. */
const silence: Logger = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => LogLevel.ERROR,
  setName: nothing,
};

/** The real Web API client, in process, without retries. */
export const clientOf = (service: Slack, token = TOKEN): WebClient =>
  new WebClient(token, {
    slackApiUrl: "http://slack.test/api/",
    fetch: inProcess(service),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: silence,
  });

/** A real Bolt app behind AwsLambdaReceiver, with its Lambda handler as request URL; its client speaks to `service()`. */
export function boltApp(service: () => Slack) {
  const receiver = new AwsLambdaReceiver({ signingSecret: SECRET, logger: silence });
  const app = new App({
    receiver,
    authorize: async () => ({ botToken: TOKEN, botId: demo.slack.botId, botUserId: demo.slack.botUserId }),
    clientOptions: { slackApiUrl: "http://slack.test/api/", fetch: (url, init) => inProcess(service())(url, init) },
    logger: silence,
  });
  const handler = receiver.toHandler();
  const requestUrl = async (request: WireRequest): Promise<WireResponse> => {
    const event = {
      rawPath: request.url,
      headers: request.headers,
      body: Buffer.from(request.body).toString("utf8"),
      isBase64Encoded: false,
    };
    const answer = await handler(event as never, {});
    return { status: answer.statusCode, headers: {}, body: answer.body };
  };
  return { app, requestUrl };
}

/** Slack on one side, a real Bolt app on the other. */
export function pair() {
  const holder: { service?: Slack } = {};
  const bolt = boltApp(() => holder.service as Slack);
  const made = bench({ requestUrl: bolt.requestUrl });
  holder.service = made.service;
  return { ...made, bolt: bolt.app };
}
