import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { section } from "./samples.ts";
import { bench, CHANNEL, OPERATOR, pair, SECRET, VISITOR } from "./workbench.ts";

describe("a command", () => {
  test("reaches a real Bolt app, whose answer the person alone sees", async () => {
    const { bolt, service } = pair();
    bolt.command("/win", async ({ ack, command }) => ack(`${command.user_name} wants ${command.text}`));
    const shown = await service.ui.type(OPERATOR, CHANNEL, "/win  add web 2 ");
    expect(shown).toMatchObject({ error: null, messages: [{ text: "olivia wants add web 2", onlyTo: OPERATOR }] });
    expect(service.ui.messagesFor(VISITOR)).toEqual([]);
  });

  test("is answered in the channel when the app says so", async () => {
    const { bolt, service } = pair();
    const blocks = [section("all see this")];
    bolt.command("/win", async ({ ack }) => ack({ response_type: "in_channel", text: "all", blocks }));
    await service.ui.type(OPERATOR, CHANNEL, "/win nodes");
    expect(service.ui.messagesFor(VISITOR)).toMatchObject([{ text: "all", blocks }]);
  });

  test("carries every field Slack sends, signed over the body as it is", async () => {
    const { app, clock, service } = bench();
    await service.ui.type(OPERATOR, "#windows-nodes", "/win add web");
    expect(app.last()).toEqual({
      token: expect.any(String),
      team_id: "T0CASEMENT",
      team_domain: "casement-demo",
      channel_id: CHANNEL,
      channel_name: "windows-nodes",
      user_id: OPERATOR,
      user_name: "olivia",
      command: "/win",
      text: "add web",
      api_app_id: "A0CASEMENT",
      is_enterprise_install: "false",
      response_url: expect.stringMatching(/^http:\/\/slack\.test\/commands\/T0CASEMENT\/[0-9a-f]+$/),
      trigger_id: expect.stringMatching(/^\d+\.T0CASEMENT\.[0-9a-f]{32}$/),
    });
    const [request] = app.requests;
    const at = request?.headers["x-slack-request-timestamp"];
    expect(at).toBe(String(Math.floor(clock.now() / 1000)));
    const expected = createHmac("sha256", SECRET).update(`v0:${at}:${Buffer.from(request?.body ?? [])}`);
    expect(request?.headers["x-slack-signature"]).toBe(`v0=${expected.digest("hex")}`);
  });

  test.each([
    ["a < b & c", "a &lt; b &amp; c"],
    ["node @olivia #windows-nodes @nobody", "node <@U0OPERATOR|olivia> <#C0WINDOWS|windows-nodes> @nobody"],
    ["see https://a.example/b", "see <https://a.example/b>"],
    [
      "node ip-10-0-3-7.us-west-2.compute.internal",
      "node <http://ip-10-0-3-7.us-west-2.compute.internal|ip-10-0-3-7.us-west-2.compute.internal>",
    ],
    ["node i-0ab 10.0.3.7", "node i-0ab 10.0.3.7"],
  ])("arrives as Slack writes it: %s", async (typed, text) => {
    const { app, service } = bench();
    await service.ui.type(OPERATOR, CHANNEL, `/win ${typed}`);
    expect(app.last()).toMatchObject({ text });
  });

  test("that the app never registered is refused by Slack itself, and so is one in a thread", async () => {
    const { app, client, service } = bench();
    const unknown = await service.ui.type(OPERATOR, CHANNEL, "/lose it");
    expect(unknown.notice).toBe("/lose is not a valid command.");
    const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "root" });
    const inThread = await service.ui.type(OPERATOR, CHANNEL, "/win nodes", ts);
    expect(inThread.messages).toMatchObject([{ onlyTo: OPERATOR, threadTs: ts, user: "USLACKBOT" }]);
    expect(app.requests).toEqual([]);
  });

  test("delivered twice is the same request, byte for byte", async () => {
    const { app, service } = bench();
    await expect(service.ui.repeatLast()).rejects.toThrow("Nothing was sent");
    await service.ui.type(OPERATOR, CHANNEL, "/win add web");
    await service.ui.repeatLast();
    expect(app.requests).toHaveLength(2);
    expect(app.requests[1]).toEqual(app.requests[0]);
  });
});

test("listeners hear of each change until they stop listening", async () => {
  const { client, service } = bench();
  let heard = 0;
  const stop = service.ui.onChange(() => {
    heard += 1;
  });
  await client.chat.postMessage({ channel: CHANNEL, text: "one" });
  stop();
  await client.chat.postMessage({ channel: CHANNEL, text: "two" });
  expect(heard).toBe(1);
});
