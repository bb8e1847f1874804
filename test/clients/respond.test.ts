import { expect, it } from "vitest";
import { responder } from "../../lambdas/clients/respond.ts";
import { withLog } from "../../lambdas/logging.ts";

const URL_OF_COMMAND = "https://hooks.slack.com/commands/T0123/secret-address";

/** Lines that an answer logs when the exchange with Slack goes so. */
async function loggedBy(exchange: () => Promise<Response>): Promise<{ lines: string[]; isTaken: boolean }> {
  const lines: string[] = [];
  const runtime = { settings: { cluster: "prod" }, now: () => 0, log: (line: string) => void lines.push(line) };
  const respond = responder("https://slack.com/api/", exchange);
  const isTaken = await withLog(runtime, { operation: "nodes-1" }, () => respond(URL_OF_COMMAND, { text: "hello" }));
  return { lines, isTaken };
}

it.each([
  ["is throttled", async () => new Response("slow down", { status: 429 }), "throttled"],
  ["is denied", async () => new Response("expired_url", { status: 403 }), "denied"],
  ["meets an outage", async () => new Response("", { status: 503 }), "unavailable"],
  ["gets no answer", () => Promise.reject(new TypeError("fetch failed")), "unavailable"],
])("an answer that %s is logged and counted as Slack's refusal, without its address", async (_, exchange, outcome) => {
  const { lines, isTaken } = await loggedBy(exchange);
  expect(isTaken).toBe(false);
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({
      event: "refusal",
      service: "slack",
      action: "response_url",
      outcome,
      operation: "nodes-1",
    }),
    expect.objectContaining({ SlackRefusals: 1, Kind: outcome }),
  ]);
  expect(lines.join()).not.toContain("secret-address");
});

it("an answer that Slack takes is not logged", async () => {
  expect(await loggedBy(async () => new Response("ok"))).toEqual({ lines: [], isTaken: true });
});
