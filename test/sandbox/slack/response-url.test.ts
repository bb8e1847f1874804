import { describe, expect, test } from "vitest";
import type { Slack } from "../../../lib/sandbox/slack/slack.ts";
import { buttons } from "./samples.ts";
import { bench, CHANNEL, OPERATOR, pair, silentApp, VISITOR } from "./workbench.ts";

describe("a response_url", () => {
  const respond = async (service: Slack, url: string, body: unknown) => {
    const request = {
      method: "POST",
      url: new URL(url).pathname,
      headers: {},
      body: Buffer.from(JSON.stringify(body)),
    };
    const answer = await service.answer(request);
    return { status: answer.status, body: String(answer.body) };
  };

  test("works five times, to the person alone or to all", async () => {
    const { app, service } = bench();
    await service.ui.type(OPERATOR, CHANNEL, "/win nodes");
    const url = app.last().response_url;
    for (const text of ["1", "2", "3", "4"]) await respond(service, url, { text });
    expect((await respond(service, url, { text: "5", response_type: "in_channel" })).body).toBe("ok");
    expect(service.ui.messagesFor(VISITOR).map((message) => message.text)).toEqual(["5"]);
    expect(await respond(service, url, { text: "6" })).toEqual({
      status: 404,
      body: '{"ok":false,"error":"used_url"}',
    });
  });

  test("works for thirty minutes", async () => {
    const { app, clock, service } = bench();
    await service.ui.type(OPERATOR, CHANNEL, "/win nodes");
    await clock.advance(30 * 60_000);
    expect((await respond(service, app.last().response_url, { text: "late" })).status).toBe(200);
    await clock.advance(1);
    expect((await respond(service, app.last().response_url, { text: "later" })).body).toContain("expired_url");
  });

  test("replaces and deletes the answer to the command", async () => {
    const app = silentApp({ body: "looking …" });
    const { service } = bench({ requestUrl: app.requestUrl });
    await service.ui.type(OPERATOR, CHANNEL, "/win nodes");
    const url = app.last().response_url;
    await respond(service, url, { text: "three nodes", replace_original: true });
    expect(service.messages()).toMatchObject([{ text: "three nodes", onlyTo: OPERATOR, edited: true }]);
    await respond(service, url, { delete_original: true });
    expect(service.messages()).toEqual([]);
  });

  test("refuses what Slack cannot show without counting it as a use", async () => {
    const { app, service } = bench();
    await service.ui.type(OPERATOR, CHANNEL, "/win nodes");
    const url = app.last().response_url;
    for (let tried = 0; tried < 6; tried += 1) expect((await respond(service, url, {})).status).toBe(400);
    expect((await respond(service, url, [])).body).toContain("invalid_payload");
    expect((await respond(service, url, { text: "fine" })).status).toBe(200);
    expect((await respond(service, "http://slack.test/commands/T0CASEMENT/00ff", {})).status).toBe(404);
  });

  test("serves Bolt's respond() after a click", async () => {
    const { bolt, client, service } = pair();
    bolt.action("cancel", async ({ ack, respond: say, body }) => {
      await ack();
      await say({ text: `not yours, ${body.user.id}`, replace_original: false });
    });
    const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "op", blocks: [buttons] });
    await service.ui.press(VISITOR, { channel: CHANNEL, messageTs: String(ts), actionId: "cancel" });
    expect(service.ui.messagesFor(VISITOR).at(-1)).toMatchObject({ text: `not yours, ${VISITOR}`, onlyTo: VISITOR });
    expect(service.ui.messagesFor(OPERATOR)).toHaveLength(1);
  });

  test("applies faults of its method, and is recorded", async () => {
    const { app, simulation, service } = bench();
    await service.ui.type(OPERATOR, CHANNEL, "/win nodes");
    simulation.faults.inject("slack-5xx", { method: "response_url", channel: CHANNEL }, 1);
    simulation.faults.inject("slack-down", { method: "chat.update" });
    expect((await respond(service, app.last().response_url, { text: "a" })).status).toBe(500);
    expect((await respond(service, app.last().response_url, { text: "a" })).status).toBe(200);
    expect(simulation.calls.after(0, "slack")).toMatchObject([
      { action: "response_url", status: 500, error: "internal_error" },
      { action: "response_url", status: 200, error: null },
    ]);
  });
});
