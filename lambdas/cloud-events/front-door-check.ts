import { createHmac } from "node:crypto";

/** Dependencies of the check. */
export interface FrontDoorCheck {
  readonly signingSecret: (doubted: boolean) => Promise<string>;
  /** Unix seconds by the clock that signatures are dated by. */
  readonly now: () => number;
  /** Sends a form and gives the status of the answer. */
  readonly send: (body: string, headers: Readonly<Record<string, string>>) => Promise<number>;
  /** Tells the alarm whether somebody answered. */
  readonly report: (answered: boolean) => void;
}

/** Slack's own question after a certificate: every app answers it with 200, and nobody sees it. */
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
 * Asks the front door something as Slack would: by its address on the internet, signed with the secret that it checks by. An
 * alarm hears of it when nobody answers. A secret that differs from Slack's is not found so; refused requests of Slack's are.
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
