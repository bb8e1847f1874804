import { expect, test } from "vitest";
import { bench, CHANNEL } from "./workbench.ts";

/** Posts a message and returns it as Slack stores it. */
async function stored(args: object): Promise<{ readonly text: string; readonly blocks: readonly unknown[] }> {
  const { client, service } = bench({ scopes: ["chat:write"] });
  await client.apiCall("chat.postMessage", { channel: CHANNEL, ...args });
  const [message] = service.messages();
  return { text: message?.text ?? "", blocks: message?.blocks ?? [] };
}

const section = (text: object) => ({ text: "a", blocks: [{ type: "section", block_id: "s", text }] });

test.each([
  [{}, "stop @here and @channel"],
  [{ parse: "none" }, "stop @here and @channel"],
  [{ parse: "full" }, "stop <!here> and <!channel>"],
  [{ link_names: true }, "stop <!here> and <!channel>"],
])("a bare name in a message's text calls people only with the option that finds names: %j", async (options, text) => {
  expect((await stored({ text: "stop @here and @channel", ...options })).text).toBe(text);
});

test.each([
  [{ type: "mrkdwn", text: "stop @Everyone" }, "stop <!everyone>"],
  [{ type: "mrkdwn", text: "stop @everyone", verbatim: true }, "stop @everyone"],
  [{ type: "plain_text", text: "stop @everyone" }, "stop @everyone"],
  [{ type: "mrkdwn", text: "stop @\u200beveryone, ops@here.example" }, "stop @\u200beveryone, ops@here.example"],
  [
    { type: "mrkdwn", text: "see evil.example.com and https://evil.example/x" },
    "see <http://evil.example.com|evil.example.com> and <https://evil.example/x>",
  ],
  [
    { type: "mrkdwn", text: "see `evil.example.com` <https://a.example|b>" },
    "see `evil.example.com` <https://a.example|b>",
  ],
  [{ type: "mrkdwn", text: "see https://evil.example/x", verbatim: true }, "see https://evil.example/x"],
])("a bare name or address in the text %j of a block reads %j", async (text, expected) => {
  expect((await stored(section(text))).blocks).toMatchObject([{ text: { text: expected } }]);
});
