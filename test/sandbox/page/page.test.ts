import { describe, expect, test } from "vitest";
import type { WireResponse } from "../../../lib/sandbox/core/wire.ts";
import { safe } from "../../../lib/sandbox/page/browser/block-kit/safe-address.ts";
import { RUNBOOK_ADDRESS } from "../../../lib/sandbox/page/runbook-address.ts";
import { servedPage } from "../../page/page-server.ts";

const HOST = { host: "127.0.0.1:4600" };

interface Call {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

function browser() {
  const snapshot = servedPage();
  const ask = (url: string, { method = "GET", body, headers = HOST }: Call = {}): Promise<WireResponse> =>
    snapshot.page.answer({ method, url, headers, body: Buffer.from(body === undefined ? "" : JSON.stringify(body)) });
  const read = async (url: string, call?: Call) => JSON.parse(String((await ask(url, call)).body));
  const post = (url: string, body: unknown) => ask(url, { method: "POST", body });
  return { ...snapshot, ask, read, post };
}

const typed = (text: string, userId = "U0OPERATOR") => ({ userId, channelId: "C0WINDOWS", text });

describe("the page's server", () => {
  test("serves one document whose script and style come from itself alone", async () => {
    const { ask } = browser();
    const document = await ask("/");
    const addresses = [...String(document.body).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(addresses).toEqual(["data:,", "/page/page.css", "/page/page.js"]);
    expect(document.headers["content-security-policy"]).toContain("default-src 'self'");
    for (const path of ["/page/page.css", "/page/page.js"]) {
      const { status, body } = await ask(path);
      expect(status).toBe(200);
      expect(String(body).length).toBeGreaterThan(5_000);
    }
  });

  test("serves the runbook, each section under the anchor to which a button leads", async () => {
    const { ask } = browser();
    const { status, body } = await ask("/runbook");
    expect(status).toBe(200);
    for (const stage of ["launch", "eviction", "reboot", "proof"])
      expect(String(body)).toMatch(new RegExp(`<h[23] id="stage-${stage}">`));
    expect(safe(`${RUNBOOK_ADDRESS}#stage-reboot`)).toBe("/runbook#stage-reboot");
    expect(safe("javascript:alert(1)")).toBe("#");
  });

  test("lets a person type and shows the answer to that person alone", async () => {
    const { read, post } = browser();
    expect((await post("/page/type", typed("/win help"))).status).toBe(200);
    expect((await read("/page/desk?as=U0OPERATOR")).messages).toMatchObject([{ onlyTo: "U0OPERATOR" }]);
    expect((await read("/page/desk?as=U0VISITOR0")).messages).toEqual([]);
  });

  test("tells a reader at once and again after a change", async () => {
    const { ask, post } = browser();
    const { body } = await ask("/page/events");
    const reader = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    expect((await reader.next()).value).toBe("event: changed\ndata: {}\n\n");
    const next = reader.next();
    await post("/page/type", typed("hello"));
    expect((await next).value).toContain("changed");
  });

  test("passes the control API through, refusals included", async () => {
    const { ask, read } = browser();
    expect((await read("/page/control/faults")).inForce).toEqual([]);
    expect((await ask("/page/control/clock", { method: "POST", body: { speed: -1 } })).status).toBe(400);
    await ask("/page/control/clock", { method: "POST", body: { speed: 60 } });
    expect((await read("/page/world")).speed).toBe(60);
  });

  test.each([
    ["an unknown path", "/page/nothing", {}, 404],
    ["a wrong method", "/page/type", {}, 404],
    ["a body that is no JSON object", "/page/type", { method: "POST" }, 400],
    ["a body with a field missing", "/page/close", { method: "POST", body: { userId: "U0OPERATOR" } }, 400],
    ["somebody unknown", "/page/type", { method: "POST", body: typed("hi", "U9") }, 409],
    [
      "a dialog that is not there",
      "/page/submit",
      { method: "POST", body: { userId: "U0OPERATOR", viewId: "V1", values: {} } },
      409,
    ],
    ["a name that was re-pointed to loopback", "/page/setting", { headers: { host: "evil.example" } }, 403],
    ["a page of another origin", "/page/setting", { headers: { ...HOST, origin: "https://evil.example" } }, 403],
  ] as [string, string, Call, number][])("refuses %s", async (_, url, call, status) => {
    const answer = await browser().ask(url, call);
    expect(answer.status).toBe(status);
    expect(JSON.parse(String(answer.body)).error).toMatch(/\w/);
  });
});
