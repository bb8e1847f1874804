import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../lib/sandbox/core/random.ts";
import type { WireRequest } from "../../../lib/sandbox/core/wire.ts";
import { functionUrl } from "../../../lib/sandbox/durable/function-url.ts";

const clock = { now: () => Date.UTC(2026, 10, 21, 8, 5, 9), after: () => () => undefined };

const request = (changes: Partial<WireRequest> = {}): WireRequest => ({
  method: "POST",
  url: "/slack/events?a=1&a=2&b=x%20y",
  headers: {
    host: "casement.lambda-url.us-west-2.on.aws",
    "content-type": "application/json",
    "user-agent": "Slackbot",
  },
  body: Buffer.from('{"ä":1}'),
  ...changes,
});

const through = (target: (event: never) => Promise<unknown>) =>
  functionUrl(target as (event: unknown) => Promise<unknown>, { clock, random: seededRandom(1) });

describe("a function URL", () => {
  test("makes an event of payload format 2.0", async () => {
    let event: unknown;
    await through(async (given: unknown) => {
      event = given;
      return "";
    })(request());
    expect(event).toMatchObject({
      version: "2.0",
      rawPath: "/slack/events",
      rawQueryString: "a=1&a=2&b=x%20y",
      queryStringParameters: { a: "1,2", b: "x y" },
      headers: { "content-type": "application/json" },
      requestContext: {
        http: { method: "POST", path: "/slack/events", userAgent: "Slackbot" },
        time: "21/Nov/2026:08:05:09 +0000",
        timeEpoch: 1_795_248_309_000,
      },
      body: '{"ä":1}',
      isBase64Encoded: false,
    });
  });

  test.each([
    ["application/json; charset=utf-8", false],
    ["text/plain", false],
    ["application/x-www-form-urlencoded", true],
    ["application/octet-stream", true],
    [undefined, true],
  ])("hands a body of type %s over as base64: %s", async (type, base64) => {
    let seen: { body?: string; isBase64Encoded?: boolean } = {};
    const url = through(async (event: typeof seen) => {
      seen = event;
      return "";
    });
    await url(request({ headers: type === undefined ? {} : { "content-type": type }, body: Buffer.from("text=ü") }));
    expect(seen.isBase64Encoded).toBe(base64);
    expect(base64 ? Buffer.from(seen.body ?? "", "base64").toString() : seen.body).toBe("text=ü");
  });

  test("answers as the function says", async () => {
    const answer = await through(async () => ({
      statusCode: 201,
      headers: { "Content-Type": "image/png", "X-Count": 3 },
      body: Buffer.from([1, 2]).toString("base64"),
      isBase64Encoded: true,
    }))(request());
    expect(answer).toEqual({
      status: 201,
      headers: { "content-type": "image/png", "x-count": "3" },
      body: Buffer.from([1, 2]),
    });
  });

  test("takes an answer without a status for the body", async () => {
    expect(await through(async () => ({ ok: true }))(request())).toMatchObject({ status: 200, body: '{"ok":true}' });
    expect(await through(async () => "plain")(request())).toMatchObject({ status: 200, body: "plain" });
  });

  test.each([
    ["fails", async () => Promise.reject(new Error("no"))],
    ["answers with a status that is none", async () => ({ statusCode: "fine", body: "" })],
    ["answers with a body that is no text", async () => ({ statusCode: 200, body: { an: "object" } })],
  ])("is a bad gateway when the function %s", async (_case, target) => {
    expect((await through(target)(request())).status).toBe(502);
  });

  test("refuses more than six megabytes", async () => {
    const body = new Uint8Array(6 * 1_024 * 1_024 + 1);
    expect((await through(async () => "never")(request({ body }))).status).toBe(413);
  });
});
