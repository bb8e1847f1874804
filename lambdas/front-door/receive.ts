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

/** The request as Bolt reads it: the signature was checked before, so that Bolt needs only text and media type. */
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

/** A flood of refused requests would cost more in logs than in answers. */
const LOGGED_A_MINUTE = 10;
const MINUTE_MS = 60_000;

/**
 * Refuses, and logs the first refusals of a minute one by one; of the others the next minute's first says how many they were.
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
 * Bolt, behind Casement's signature check: Bolt would parse before it verifies, and accepts the future and other signature
 * versions.
 */
function boltOf(door: FrontDoor): Receiver {
  const { botId, botUserId, teamId } = door.configuration.slack;
  const receiver = new AwsLambdaReceiver({ signingSecret: "", signatureVerification: false, logLevel: LogLevel.ERROR });
  const authorize = async () => ({ botId, botUserId, teamId });
  listen(new App({ receiver, authorize, convoStore: false, logLevel: LogLevel.ERROR }), door);
  return receiver.toHandler();
}

/**
 * The front door's own listeners do not throw. Where Bolt does, or answers 500, the request was signed and yet lacked what Slack
 * always sends; 404 means that no listener matched: a command, button or dialog that Casement does not have.
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

/** Did Slack sign it? A signature that does not fit may be made with a new secret, so the secret is read again. */
const isGenuine = async (door: FrontDoor, request: UnverifiedRequest): Promise<boolean> =>
  isSigned(request, await door.signingSecret(false)) || isSigned(request, await door.signingSecret(true));

/**
 * Builds the front door: takes a request from Slack and returns the answer. Built once per process.
 * Nothing of a request is parsed before its signature was checked: 401 for what Slack did not sign within five minutes,
 * 400 for a request that Slack would not send. Never throws because of a request's content.
 * @throws when the signing secret cannot be read
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
