import { within } from "../time-limit.ts";
import { logRefusal } from "./refusals.ts";
import type { Transport } from "./transport.ts";

/**
 * Posts an answer to a `response_url`.
 * @returns whether Slack took it: it takes five within 30 minutes of the command (docs: "Handling user interaction")
 */
export type Respond = (url: string, answer: object) => Promise<boolean>;

/** Milliseconds; Slack answers within one second, and a person waits. */
const WITHIN_MS = 3_000;

/** Does Slack listen there? An answer tells of the cluster, so it goes to no other host, whatever the ledger holds. */
function isSlacks(url: string, slackUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const [{ protocol, host }, api] = [new URL(url), new URL(slackUrl)];
  return protocol === api.protocol && (host === api.host || host === `hooks.${api.host}`);
}

/** Logs and counts a refusal; the address is a right by itself and is never logged. */
const refused = (code: string, status: number): void =>
  logRefusal({ service: "slack", action: "response_url", code, status });

/**
 * Builds the way to the addresses that Slack sends with commands. Never throws: the caller has another way to answer.
 * @param slackUrl address of Slack's Web API
 * @param exchange replaces the network (tests)
 */
export const responder =
  (slackUrl: string, exchange: Transport["fetch"] = fetch): Respond =>
  async (url, answer) => {
    if (!isSlacks(url, slackUrl)) return false;
    const request = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(answer),
      redirect: "error" as const,
    };
    try {
      const { ok, status } = await within(WITHIN_MS, exchange(url, request));
      if (!ok) refused(`HTTP ${status}`, status);
      return ok;
    } catch {
      refused("ETIMEDOUT", 0);
      return false;
    }
  };
