import { createHmac } from "node:crypto";

/** Dependencies of the check. */
export interface FrontDoorCheck {
  readonly signingSecret: (doubted: boolean) => Promise<string>;
  /** Unix seconds by the clock that signatures are dated by. */
  readonly now: () => number;
  /** Sends a form and gives the status of the answer. */
  readonly send: (body: string, headers: Readonly<Record<string, string>>) => Promise<number>;
  /** Tells the alarm whether the front door answered. */
  readonly report: (answered: boolean) => void;
}

/** Slack's `ssl_check` probe: every app answers it with 200, and no person sees it. */
const QUESTION = "ssl_check=1";

/** A deployment, or an instance that starts, may cost one of them. */
const ATTEMPTS = 3;

/** "Verifying requests from Slack": version 0. */
const signed = (secret: string, timestamp: string): Record<string, string> => ({
  "x-slack-request-timestamp": timestamp,
  "x-slack-signature": `v0=${createHmac("sha256", secret).update(`v0:${timestamp}:${QUESTION}`).digest("hex")}`,
});

async function once({ signingSecret, now, send }: FrontDoorCheck): Promise<string> {
  try {
    const status = await send(QUESTION, signed(await signingSecret(true), String(now())));
    return status === 200 ? "answered" : `it answered with ${status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Sends the front door a request as Slack would: to its address on the internet, signed with the secret that it verifies
 * with. An alarm fires when no answer comes. This does not find a secret that differs from Slack's; the alarm on refused
 * requests does.
 * @returns one sentence for the log
 */
export async function checkFrontDoor(check: FrontDoorCheck): Promise<string> {
  let why = "";
  for (let attempt = 1; attempt <= ATTEMPTS && why !== "answered"; attempt += 1) why = await once(check);
  check.report(why === "answered");
  if (why === "answered") return "the front door answered";
  console.error(`the front door did not answer: ${why}`);
  return `the front door did not answer: ${why}`;
}
