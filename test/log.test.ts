import { describe, expect, it } from "vitest";
import { refusalKind } from "../lambdas/clients/refusals.ts";
import { type LogFields, logLine } from "../lambdas/log.ts";
import { log, logAbout, withLog } from "../lambdas/logging.ts";

const AT = Date.UTC(2026, 10, 21);

const line = (fields: object): unknown => JSON.parse(logLine("INFO", "refusal", fields as LogFields, AT));

describe("A line of the log", () => {
  it("has its time, level and event, and of the fields only those that are listed", () => {
    expect(line({ operation: "add-1", index: 0, node: null, token: "canary", responseUrl: "canary" })).toEqual({
      time: "2026-11-21T00:00:00.000Z",
      level: "INFO",
      event: "refusal",
      operation: "add-1",
      index: 0,
    });
  });

  it.each([
    "xoxb-1234-abcd",
    "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJjYXNlbWVudCJ9.c2lnbmF0dXJl",
    "https://hooks.slack.com/commands/T1/2/abc",
    "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
    "X-Amz-Signature=0123abcd",
    "Bearer abcdef",
  ])("shows nothing of a secret that a service quotes: %s", (secret) => {
    expect(line({ why: `it said "${secret}" and ended` })).toMatchObject({ why: 'it said "[redacted]" and ended' });
  });

  it("carries the fields of its invocation, also those that became known on the way", async () => {
    const lines: string[] = [];
    const runtime = { settings: { cluster: "c" }, now: () => AT, log: (text: string) => void lines.push(text) };
    await withLog(runtime, { operation: "add-1" }, async () => {
      await Promise.resolve();
      logAbout({ instance: "i-0aa" });
      log("INFO", "stage", { stage: "launch", outcome: "entered" });
    });
    await withLog(runtime, { operation: "add-2" }, async () => log("INFO", "stage", { stage: "agent" }));
    log("INFO", "stage", { stage: "outside of any invocation" });
    const [first, second, ...more] = lines.map((text) => JSON.parse(text));
    expect(first).toMatchObject({ operation: "add-1", instance: "i-0aa", stage: "launch", outcome: "entered" });
    expect(second).toEqual(expect.not.objectContaining({ instance: "i-0aa" }));
    expect(more).toEqual([]);
  });
});

describe("A refusal", () => {
  it.each([
    ["RequestLimitExceeded", 503, "throttled"],
    ["ThrottlingException", 400, "throttled"],
    ["slack_webapi_rate_limited_error", 0, "throttled"],
    ["429", 429, "throttled"],
    ["AccessDeniedException", 400, "denied"],
    ["UnauthorizedOperation", 403, "denied"],
    ["missing_scope", 0, "denied"],
    ["InternalError", 500, "unavailable"],
    ["ECONNRESET", 0, "unavailable"],
    ["slack_webapi_http_error", 503, "unavailable"],
    ["slack_webapi_http_error", 408, "unavailable"],
    ["team_added_to_org", 0, "unavailable"],
    ["two_factor_setup_required", 0, "denied"],
  ] as const)("%s with status %i is told as %s", (code, status, kind) => {
    expect(refusalKind(code, status)).toBe(kind);
  });

  it.each([
    ["ConditionalCheckFailedException", 400],
    ["InvalidInstanceID.NotFound", 400],
    ["404", 404],
    ["user_not_found", 0],
    ["expired_trigger_id", 0],
  ] as const)("is not an answer such as %s", (code, status) => {
    expect(refusalKind(code, status)).toBeNull();
  });
});
