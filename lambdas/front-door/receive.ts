import { App, AwsLambdaReceiver, LogLevel } from "@slack/bolt";
import type { FrontDoor } from "./front-door.ts";
import { listen } from "./slack-app.ts";
import { type HttpEvent, isReadable, isSigned, type UnverifiedRequest, unverifiedRequest } from "./verify.ts";

/** Answer of the Function URL. */
export interface HttpAnswer {
  readonly statusCode: number;
  readonly headers?: Readonly<Record<string, boolean | number | string>>;
  readonly body: string;
}

type Receiver = ReturnType<AwsLambdaReceiver["toHandler"]>;

/** The request in Bolt's form: the signature is checked already, so Bolt only needs text and media type. */
const forBolt = (bytes: Buffer, contentType: string): Parameters<Receiver>[0] => ({
  version: "2.0",
  routeKey: "$default",
  rawPath: "/",
  rawQueryString: "",
  headers: { "content-type": contentType },
  requestContext: {},
  body: bytes.toString("utf8"),
  isBase64Encoded: false,
});

/** Limit on log lines: a flood of refused requests would cost more in logs than in answers. */
const LOGGED_A_MINUTE = 10;
const MINUTE_MS = 60_000;

/**
 * Makes the function that refuses requests. It logs the first refusals of a minute one by one; the first refusal after
 * that minute logs the number of the others.
 * @param now milliseconds since the epoch
 */
function refusals(now: () => number) {
  let since = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (status: number, why: string): HttpAnswer => {
    if (now() - since >= MINUTE_MS) {
      if (count > LOGGED_A_MINUTE) console.warn(`refused ${count - LOGGED_A_MINUTE} more requests in that minute`);
      since = now();
      count = 0;
    }
    count += 1;
    if (count <= LOGGED_A_MINUTE) console.warn(`refused with ${status}: ${why}`);
    return { statusCode: status, body: "" };
  };
}

type Refuse = ReturnType<typeof refusals>;

/**
 * Builds Bolt's receiver without its own signature check, which parses before it verifies, and accepts timestamps in
 * the future and other signature versions. Casement checks signatures before.
 */
function boltOf(door: FrontDoor): Receiver {
  const { botId, botUserId, teamId } = door.configuration.slack;
  const receiver = new AwsLambdaReceiver({ signingSecret: "", signatureVerification: false, logLevel: LogLevel.ERROR });
  const authorize = async () => ({ botId, botUserId, teamId });
  listen(new App({ receiver, authorize, convoStore: false, logLevel: LogLevel.ERROR }), door);
  return receiver.toHandler();
}

/**
 * Turns Bolt's failures into 400. The front door's own listeners do not throw: if Bolt throws or answers 500, the
 * signed request lacks fields that Slack always sends; 404 means that Casement has no such command, button or dialog.
 */
async function understood(answering: ReturnType<Receiver>, refuse: Refuse): Promise<HttpAnswer> {
  try {
    const answer = await answering;
    return answer.statusCode < 400 ? answer : refuse(400, "shape of the request");
  } catch (error) {
    console.error("Bolt failed", error);
    return refuse(400, "shape of the request");
  }
}

/**
 * Checks Slack's signature; if it is wrong, once more with the newest secret, which may have replaced the cached one.
 */
const isGenuine = async (door: FrontDoor, request: UnverifiedRequest): Promise<boolean> =>
  isSigned(request, await door.signingSecret(false)) || isSigned(request, await door.signingSecret(true));

/**
 * Builds the front door, once per process: a function from a request to its answer. Nothing of a request is parsed
 * before its signature is checked: 401 if Slack did not sign it within five minutes, 400 for a request that Slack would
 * not send. No content of a request makes it throw.
 * @throws if the signing secret cannot be read
 */
export function receiver(door: FrontDoor): (event: HttpEvent, context: unknown) => Promise<HttpAnswer> {
  const bolt = boltOf(door);
  const refuse = refusals(door.steps.now);
  return async (event, context) => {
    const request = unverifiedRequest(event, Math.floor(door.slackNow() / 1000));
    if ("status" in request) return refuse(request.status, request.why);
    if (!(await isGenuine(door, request))) return refuse(401, "signature");
    if (!isReadable(request)) return refuse(400, "body");
    return understood(bolt(forBolt(request.bytes, request.contentType), context), refuse);
  };
}
