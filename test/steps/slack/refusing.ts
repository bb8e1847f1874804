import { LogLevel, WebClient } from "@slack/web-api";
import type { FrontDoorContext } from "../../../lambdas/steps/context.ts";
import { people } from "../../../lambdas/steps/slack/people.ts";
import { refusalCodes, refusalStatuses } from "../../../lib/sandbox/slack/faults.ts";

/** Refusals with which Slack, or a proxy before it, may answer any call: its codes, and HTTP statuses. */
export const refusals = [...refusalCodes, ...refusalStatuses];

/** The verbs of people over a Slack that answers each call with a code ("missing_scope") or a status ("404"). */
export const peopleRefused = (refusal: string): ReturnType<typeof people> => {
  const isStatus = /^\d+$/.test(refusal);
  const client = new WebClient("xoxb-t", {
    slackApiUrl: "http://slack.test/api/",
    retryConfig: { retries: 0 },
    logLevel: LogLevel.ERROR,
    fetch: async () =>
      isStatus
        ? new Response("<html>", { status: Number(refusal) })
        : new Response(JSON.stringify({ ok: false, error: refusal })),
  });
  return people({ clients: { slack: async () => client }, settings: {}, now: Date.now } as unknown as FrontDoorContext);
};
