import { createHmac } from "node:crypto";

/** Dependencies of the check. */
export interface FrontDoorCheck {
  readonly signingSecret: (doubted: boolean) => Promise<string>;
  /** Unix seconds, by the clock that dates signatures. */
  readonly now: () => number;
  /** Sends a form and returns the status of the answer. */
  readonly send: (body: string, headers: Readonly<Record<string, string>>) => Promise<number>;
  /** Writes the metric that the alarm watches. */
  readonly report: (answered: boolean) => void;
}

/** Slack's `ssl_check` probe: every app answers it with 200, and no person sees it. */
const QUESTION = "ssl_check=1";

/** Attempts: one may fail during a deployment, or while a new instance starts. */
const ATTEMPTS = 3;

/** Headers with Slack's signature, version 0 (docs: "Verifying requests from Slack"). */
const signed = (secret: string, timestamp: string): Record<string, string> => ({
  "x-slack-request-timestamp": timestamp,
  "x-slack-signature": `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${QUESTION}`).digest("hex")}`,
});

/**
 * Sends the front door one signed request.
 * @returns "answered" for an accepted one, otherwise the reason
 */
export async function askFrontDoor({
  signingSecret,
  now,
  send,
}: Pick<FrontDoorCheck, "signingSecret" | "now" | "send">): Promise<string> {
  try {
    const status = await send(QUESTION, signed(await signingSecret(true), String(now())));
    return status === 200 ? "answered" : `it answered with ${status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Sends the front door a request as Slack does: to its address on the internet, signed with the stored secret. An alarm
 * fires if no answer comes. This check does not notice that the stored secret differs from Slack's; the alarm on
 * refused requests does.
 * @returns one sentence for the log
 */
export async function checkFrontDoor(check: FrontDoorCheck): Promise<string> {
  let why = "";
  for (let attempt = 1; attempt <= ATTEMPTS && why !== "answered"; attempt += 1) why = await askFrontDoor(check);
  check.report(why === "answered");
  if (why === "answered") return "the front door answered";
  console.error(`the front door did not answer: ${why}`);
  return `the front door did not answer: ${why}`;
}
