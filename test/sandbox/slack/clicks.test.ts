import { describe, expect, test } from "vitest";
import { buttons, plain } from "./samples.ts";
import { bench, CHANNEL, OPERATOR, VISITOR } from "./workbench.ts";

describe("a click", () => {
  test("tells the app which element of which message was pressed, by whom", async () => {
    const { app, client, service } = bench();
    const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "op", blocks: [buttons] });
    const reply = await client.chat.postMessage({ channel: CHANNEL, text: "op", thread_ts: ts, blocks: [buttons] });
    const at = String(reply.ts);
    await service.ui.press(OPERATOR, { channel: CHANNEL, messageTs: at, actionId: "cancel", blockId: "operation" });
    expect(app.last()).toMatchObject({
      type: "block_actions",
      user: { id: OPERATOR, username: "olivia", team_id: "T0CASEMENT" },
      team: { id: "T0CASEMENT" },
      api_app_id: "A0CASEMENT",
      container: { type: "message", message_ts: at, channel_id: CHANNEL, is_ephemeral: false, thread_ts: ts },
      channel: { id: CHANNEL, name: "windows-nodes" },
      message: { ts: at, bot_id: "B0CASEMENT", thread_ts: ts },
      actions: [{ type: "button", action_id: "cancel", block_id: "operation", value: "add-1", text: plain("Cancel") }],
      response_url: expect.stringContaining("/actions/"),
      trigger_id: expect.any(String),
    });
  });

  test("in a menu tells the option, and offers no other", async () => {
    const { app, client, service } = bench();
    const option = { text: plain("Keep"), value: "keep" };
    const menu = { type: "static_select" as const, action_id: "decide", options: [option] };
    const blocks = [{ type: "actions" as const, elements: [menu] }];
    const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "op", blocks });
    const there = { channel: CHANNEL, messageTs: String(ts), actionId: "decide" };
    await service.ui.press(OPERATOR, { ...there, value: "keep" });
    expect(app.last().actions).toMatchObject([{ selected_option: option }]);
    await expect(service.ui.press(OPERATOR, { ...there, value: "sell" })).rejects.toThrow("does not offer");
  });

  test("is impossible where there is nothing to press or to see", async () => {
    const { client, service } = bench();
    const hidden = { channel: CHANNEL, user: OPERATOR, text: "op", blocks: [buttons] };
    const { message_ts } = await client.chat.postEphemeral(hidden);
    const there = { channel: CHANNEL, messageTs: String(message_ts) };
    await expect(service.ui.press(VISITOR, { ...there, actionId: "cancel" })).rejects.toThrow("sees no message");
    await expect(service.ui.press(OPERATOR, { ...there, actionId: "keep" })).rejects.toThrow("nothing to press");
    await expect(service.ui.type("U0NOBODY", CHANNEL, "hello")).rejects.toThrow("no person with the id");
    await expect(service.ui.type(OPERATOR, "C0SECRET", "hello")).rejects.toThrow("is not in C0SECRET");
  });
});
