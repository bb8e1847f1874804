import { createHmac } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import type { WireRequest, WireResponse } from "../core/wire.ts";
import type { SlackOptions } from "./workspace.ts";

/** Outcome of a request to the app; `error` in the words Slack shows people. */
export type Delivery =
  | { readonly error: null; readonly body: string }
  | { readonly error: "operation_timeout" | "dispatch_failed" | "http_client_error" | "http_service_error" };

/** Sends requests to the app, signed as Slack signs them. */
export interface Deliveries {
  send(form: Readonly<Record<string, string>>): Promise<Delivery>;
  /** The last request again, byte for byte, as a network may deliver it twice; undefined before the first. */
  sendAgain(): Promise<Delivery> | undefined;
}

/** Guides to slash commands and interactivity: an app must answer within 3 seconds. */
const DEADLINE_MS = 3_000;

/** "Verifying requests from Slack": v0 is HMAC-SHA256 over "v0:timestamp:body", keyed with the signing secret. */
export const signature = (secret: string, timestamp: string, body: string): string =>
  `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex")}`;

function signed(form: Readonly<Record<string, string>>, { signingSecret, host }: SlackOptions): WireRequest {
  const body = new URLSearchParams(form).toString();
  const timestamp = String(Math.floor(host.now() / 1000));
  return {
    method: "POST",
    url: "/",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
      accept: "application/json,*/*",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": signature(signingSecret, timestamp, body),
    },
    body: Buffer.from(body),
  };
}

async function textOfAnswer({ body }: WireResponse): Promise<string> {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString("utf8");
  let text = "";
  for await (const piece of body) text += piece;
  return text;
}

async function outcome(response: WireResponse): Promise<Delivery> {
  if (response.status === 200) return { error: null, body: await textOfAnswer(response) };
  const client = response.status >= 400 && response.status < 500;
  return { error: client ? "http_client_error" : "http_service_error" };
}

/** Waits for the first of three: the app's answer, its broken connection or the end of Slack's patience. */
function inTime(answer: Promise<WireResponse>, host: Clock): Promise<Delivery> {
  return new Promise((resolve) => {
    const cancel = host.after(DEADLINE_MS, () => resolve({ error: "operation_timeout" }));
    void answer
      .then(outcome)
      .catch((): Delivery => ({ error: "dispatch_failed" }))
      .then((delivery) => {
        cancel();
        resolve(delivery);
      });
  });
}

/** Builds the sender for one app. */
export function deliveries(options: SlackOptions): Deliveries {
  let last: WireRequest | undefined;
  const deliver = (request: WireRequest): Promise<Delivery> =>
    inTime(
      Promise.resolve().then(() => options.requestUrl(request)),
      options.host,
    );
  return {
    send: (form) => {
      last = signed(form, options);
      return deliver(last);
    },
    sendAgain: () => (last === undefined ? undefined : deliver(last)),
  };
}
