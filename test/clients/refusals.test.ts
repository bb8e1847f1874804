import { expect, test } from "vitest";
import { logRefusal, reported } from "../../lambdas/clients/refusals.ts";
import { withLog } from "../../lambdas/logging.ts";

/** The lines that some work logs, parsed. */
async function linesOf(work: () => unknown): Promise<unknown[]> {
  const lines: string[] = [];
  const runtime = { settings: { cluster: "c" }, now: () => 0, log: (line: string) => void lines.push(line) };
  await withLog(runtime, {}, async () => work());
  return lines.map((line) => JSON.parse(line));
}

const line = { time: "1970-01-01T00:00:00.000Z", level: "WARN", event: "refusal" };

test("A refused call of the SDK's is logged with code, status and request id, and thrown on", async () => {
  const error = Object.assign(new Error("no"), {
    name: "AccessDenied",
    $metadata: { httpStatusCode: 403, requestId: "r-1" },
  });
  const lines = await linesOf(() => expect(reported("ec2", "RunInstances", Promise.reject(error))).rejects.toBe(error));
  expect(lines).toEqual([
    {
      ...line,
      service: "ec2",
      action: "RunInstances",
      code: "AccessDenied",
      status: 403,
      requestId: "r-1",
      outcome: "denied",
    },
  ]);
});

test("A broken connection is logged by its code, without a status", async () => {
  const error = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  const lines = await linesOf(() => reported("s3", "GetObject", Promise.reject(error)).catch(() => undefined));
  expect(lines).toEqual([{ ...line, service: "s3", action: "GetObject", code: "ECONNRESET", outcome: "unavailable" }]);
});

test.each([[new Error("a bug")], ["text"], [undefined]])(
  "An error that is no refusal is not logged: %s",
  async (error) => {
    expect(await linesOf(() => reported("s3", "GetObject", Promise.reject(error)).catch(() => undefined))).toEqual([]);
  },
);

test("A call that succeeds is not logged", async () => {
  expect(await linesOf(async () => expect(await reported("s3", "GetObject", Promise.resolve(1))).toBe(1))).toEqual([]);
});

test("An answer is logged if the caller says what it is, and only Slack's refusals are counted", async () => {
  const facts = { action: "a", code: "user_not_found", status: 0 };
  const lines = await linesOf(() => {
    logRefusal({ service: "slack", ...facts });
    logRefusal({ service: "slack", ...facts }, "denied");
    logRefusal({ service: "kubernetes", ...facts, status: 200 }, "denied");
  });
  const logged = { ...line, action: "a", code: "user_not_found", outcome: "denied" };
  expect(lines).toEqual([
    { ...logged, service: "slack" },
    expect.objectContaining({ SlackRefusals: 1, Kind: "denied", Cluster: "c" }),
    { ...logged, service: "kubernetes", status: 200 },
  ]);
});
