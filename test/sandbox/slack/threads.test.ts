import { expect, test } from "vitest";
import { bench, CHANNEL } from "./workbench.ts";

const options = { scopes: ["chat:write", "channels:history"] };

test("a reply to a reply joins the thread of the first message", async () => {
  const { client, service } = bench(options);
  const root = await client.chat.postMessage({ channel: CHANNEL, text: "root" });
  const reply = await client.chat.postMessage({ channel: CHANNEL, thread_ts: root.ts, text: "reply" });
  await client.chat.postMessage({ channel: CHANNEL, thread_ts: reply.ts, text: "reply to the reply" });
  expect(service.messages().map((message) => message.threadTs)).toEqual([undefined, root.ts, root.ts]);
});

test("a channel's history leaves replies out unless they were sent to the channel too", async () => {
  const { client } = bench(options);
  const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "root" });
  await client.chat.postMessage({ channel: CHANNEL, thread_ts: ts, text: "quiet" });
  await client.chat.postMessage({ channel: CHANNEL, thread_ts: String(ts), reply_broadcast: true, text: "loud" });
  const { messages } = await client.conversations.history({ channel: CHANNEL });
  expect(messages).toMatchObject([{ text: "loud", subtype: "thread_broadcast" }, { text: "root" }]);
});

test("a message keeps the metadata it was sent with, also over an update that brings none", async () => {
  const { client } = bench(options);
  const metadata = { event_type: "operation", event_payload: { id: "add-1" } };
  const { ts } = await client.chat.postMessage({ channel: CHANNEL, text: "a", metadata });
  await client.chat.update({ channel: CHANNEL, ts: String(ts), text: "b" });
  const { messages } = await client.conversations.history({ channel: CHANNEL, include_all_metadata: true });
  expect(messages).toMatchObject([{ text: "b", metadata }]);
  const { messages: bare } = await client.conversations.history({ channel: CHANNEL });
  expect(bare?.[0]).not.toHaveProperty("metadata");
});
