import { within } from "../time-limit.ts";
import { logRefusal } from "./refusals.ts";
import type { Transport } from "./transport.ts";

/**
 * Posts an answer to a `response_url`.
 * @returns true if Slack accepted it; Slack accepts five answers within 30 minutes of the command (docs: "Handling user
 * interaction")
 */
export type Respond = (url: string, answer: object) => Promise<boolean>;

/** Milliseconds. Slack answers within one second, and a person waits; Slack waits three seconds for the front door. */
const WITHIN_MS = 2_000;

/**
 * Does the URL point to Slack? Answers contain facts about the cluster, so they go to no other host, whatever the
 * ledger stores.
 */
function isSlacks(url: string, slackUrl: string): boolean {
  if (!URL.canParse(url)) return false;
  const [{ protocol, host }, api] = [new URL(url), new URL(slackUrl)];
  return protocol === api.protocol && (host === api.host || host === `hooks.${api.host}`);
}

/** Logs a refusal and adds it to the metric. The URL itself grants access, so it is never logged. */
const refused = (code: string, status: number): void =>
  logRefusal({ service: "slack", action: "response_url", code, status });

/**
 * Builds the function that posts to Slack's response URLs. It never throws, because the caller has another way to
 * answer.
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
