import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { receiver } from "../../lambdas/front-door/receive.ts";
import type { HttpEvent } from "../../lambdas/front-door/verify.ts";
import { fakeFrontDoor, NOW } from "./fake-front-door.ts";
import { signed, slashCommand } from "./signed.ts";

const SECONDS = NOW / 1000;
const good = slashCommand("add web 2");
const withHeaders = (headers: Record<string, string | undefined>): HttpEvent => ({
  ...good,
  headers: { ...good.headers, ...headers },
});
const base64 = ({ headers, body }: HttpEvent): HttpEvent => ({
  headers,
  body: Buffer.from(body ?? "", "utf8").toString("base64"),
  isBase64Encoded: true,
});

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function send(event: HttpEvent) {
  const { door: own, memory } = fakeFrontDoor();
  return { answer: await receiver(own)(event, {}), memory };
}

describe("a request that Slack signed just now", () => {
  test.each<[string, HttpEvent]>([
    ["as it comes", good],
    [
      "with a charset behind its content type",
      withHeaders({ "content-type": "application/x-www-form-urlencoded; charset=utf-8" }),
    ],
    [
      "with header names in capitals",
      {
        ...good,
        headers: Object.fromEntries(
          Object.entries(good.headers ?? {}).map(([name, value]) => [name.toUpperCase(), value]),
        ),
      },
    ],
    ["in base64", base64(good)],
    ["in base64 with letters beyond ASCII", base64(slashCommand("add web 2", { user_name: "Zoë 🐙" }))],
    ["four minutes ago", signed(good.body ?? "", undefined, SECONDS - 240)],
    ["by a clock four minutes ahead", signed(good.body ?? "", undefined, SECONDS + 240)],
  ])("is let in %s", async (_how, event) => {
    const { answer, memory } = await send(event);
    expect(answer.statusCode).toBe(200);
    expect(memory.executions.size).toBe(1);
  });
});

describe("anything else", () => {
  test.each<[string, number, HttpEvent]>([
    ["without headers", 401, { body: good.body }],
    ["with empty headers", 401, { headers: {}, body: good.body }],
    ["without a signature", 401, withHeaders({ "x-slack-signature": undefined })],
    ["without a timestamp", 401, withHeaders({ "x-slack-request-timestamp": undefined })],
    ["signed with another secret", 401, signed(good.body ?? "", undefined, SECONDS, "another")],
    ["signed for another body", 401, { ...good, body: `${good.body}&text=remove` }],
    ["with another timestamp than was signed", 401, withHeaders({ "x-slack-request-timestamp": String(SECONDS - 1) })],
    ["six minutes old", 401, signed(good.body ?? "", undefined, SECONDS - 360)],
    ["from six minutes ahead", 401, signed(good.body ?? "", undefined, SECONDS + 360)],
    ["from tomorrow", 401, signed(good.body ?? "", undefined, SECONDS + 86_400)],
    ["with a timestamp in words", 401, withHeaders({ "x-slack-request-timestamp": "now" })],
    ["with a negative timestamp", 401, withHeaders({ "x-slack-request-timestamp": `-${SECONDS}` })],
    ["with a timestamp and a space", 401, withHeaders({ "x-slack-request-timestamp": ` ${SECONDS}` })],
    ["with a fractional timestamp", 401, withHeaders({ "x-slack-request-timestamp": `${SECONDS}.0` })],
    ["with an endless timestamp", 401, withHeaders({ "x-slack-request-timestamp": "9".repeat(400) })],
    [
      "of another signature version",
      401,
      withHeaders({ "x-slack-signature": good.headers?.["x-slack-signature"]?.replace("v0", "v9") }),
    ],
    [
      "with a signature without version",
      401,
      withHeaders({ "x-slack-signature": good.headers?.["x-slack-signature"]?.slice(3) }),
    ],
    [
      "with half a signature",
      401,
      withHeaders({ "x-slack-signature": good.headers?.["x-slack-signature"]?.slice(0, 35) }),
    ],
    [
      "with a signature and more",
      401,
      withHeaders({ "x-slack-signature": `${good.headers?.["x-slack-signature"]}00` }),
    ],
    [
      "with a signature in capitals",
      401,
      withHeaders({ "x-slack-signature": good.headers?.["x-slack-signature"]?.toUpperCase() }),
    ],
    ["with an empty signature", 401, withHeaders({ "x-slack-signature": "v0=" })],
    [
      "unsigned, asking for Slack's certificate check",
      401,
      { headers: { "content-type": "application/json" }, body: '{"ssl_check":1}' },
    ],
    ["in another content type", 400, signed(good.body ?? "", "text/plain")],
    ["in many parts", 400, signed(good.body ?? "", "multipart/form-data; boundary=x")],
    ["without content type", 400, withHeaders({ "content-type": undefined })],
    ["with an empty body", 400, signed("")],
    ["without body", 400, { ...signed(""), body: undefined }],
    ["larger than Slack's are", 400, signed(`text=${"x".repeat(1_000_001)}`)],
    ["with a payload that is no JSON", 400, signed("payload=%7Bnot")],
    ["with a payload that is a list", 400, signed("payload=%5B%5D")],
    ["with a payload that is null", 400, signed("payload=null")],
    ["with a body that is no JSON", 400, signed("{", "application/json")],
    ["with JSON that is a number", 400, signed("7", "application/json")],
    ["by another method", 400, { ...good, requestContext: { http: { method: "PUT" } } }],
    ["with a form that is no command", 400, signed("hello=1")],
    ["with a form of bytes that are no text", 400, signed("\ufffd\u0000%zz")],
    ["with a command that nobody gave", 400, slashCommand("add web", { user_id: "" })],
    ["with a command without a trigger", 400, slashCommand("add web", { trigger_id: "" })],
    ["with another app's command", 400, slashCommand("add web", { command: "/other" })],
    ["with a button of nobody's", 400, signed("payload=%7B%22type%22%3A%22block_actions%22%7D")],
  ])("is refused %s with %i, and runs nothing", async (_how, status, event) => {
    const { answer, memory } = await send(event);
    expect(answer).toEqual({ statusCode: status, body: "" });
    expect(memory).toEqual(fakeFrontDoor().memory);
  });

  test("is refused before the secret is asked for when it bears no signature", async () => {
    const { door: own, memory } = fakeFrontDoor();
    memory.broken.add("signingSecret");
    expect((await receiver(own)({ headers: {}, body: "x" }, {})).statusCode).toBe(401);
  });

  test("never throws and starts nothing, whatever bytes and headers come", async () => {
    const { door: own, memory } = fakeFrontDoor();
    const door = receiver(own);
    const header = fc.constantFrom("content-type", "x-slack-signature", "x-slack-request-timestamp", "host");
    const value = fc.oneof(fc.string(), fc.constantFrom(`v0=${"0".repeat(64)}`, String(SECONDS), "application/json"));
    const event = fc.record({
      headers: fc.option(fc.dictionary(header, value), { nil: undefined }),
      body: fc.option(fc.string({ unit: "binary" })),
      isBase64Encoded: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(event, async (request) => {
        expect([400, 401]).toContain((await door(request, {})).statusCode);
      }),
      { numRuns: 200 },
    );
    expect(memory.starts).toEqual([]);
  });
});

describe("what was signed with our secret", () => {
  const json = fc.oneof(
    fc.jsonValue(),
    fc.record({
      type: fc.constantFrom("block_actions", "view_submission", "view_closed", "event_callback", "shortcut", "?"),
      actions: fc.option(fc.array(fc.jsonValue()), { nil: undefined }),
      view: fc.option(fc.jsonValue(), { nil: undefined }),
      user: fc.option(fc.jsonValue(), { nil: undefined }),
      channel: fc.option(fc.jsonValue(), { nil: undefined }),
      team: fc.option(fc.jsonValue(), { nil: undefined }),
    }),
  );
  const signedBody = fc.oneof(
    fc.string({ unit: "binary", minLength: 1 }).map((body) => signed(body)),
    json.map((value) => signed(JSON.stringify(value), "application/json")),
    json.map((value) => signed(new URLSearchParams({ payload: JSON.stringify(value) }).toString())),
    fc
      .dictionary(fc.constantFrom("text", "user_id", "channel_id", "team_id", "trigger_id", "ssl_check"), fc.string())
      .map((fields) => signed(new URLSearchParams({ command: "/win", ...fields }).toString())),
  );

  test("never throws and starts nothing, whatever it is", async () => {
    const { door: own, memory } = fakeFrontDoor();
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const door = receiver(own);
    await fc.assert(
      fc.asyncProperty(signedBody, async (request) => {
        expect([200, 400]).toContain((await door(request, {})).statusCode);
      }),
      { numRuns: 300 },
    );
    expect(memory.starts).toEqual([]);
    expect(memory.dialogs).toEqual([]);
  });

  test("runs nothing when it is nothing we know", async () => {
    for (const event of [
      signed("hello=1"),
      signed("{}", "application/json"),
      slashCommand("add web", { command: "/other" }),
    ]) {
      const { answer, memory } = await send(event);
      expect(answer).toEqual({ statusCode: 400, body: "" });
      expect(memory.starts).toEqual([]);
    }
  });
});
