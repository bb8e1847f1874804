import fc from "fast-check";
import { expect, test } from "vitest";
import { context, section } from "../../../lambdas/messages/slack/blocks.ts";
import { code, codeBlock, codeLine, echo, fenced, plain, prose } from "../../../lambdas/messages/slack/text.ts";
import { checkedContent } from "../../../lib/sandbox/slack/message-content.ts";

/** Words of a machine's event log, a pod's name, an Event, a reason that a person typed. */
const foreign = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "https://evil.example/x",
        "evil.example.com",
        "www.evil.org",
        "http://10.0.0.1",
        "@here",
        "@channel",
      ),
      fc.constantFrom(
        "<https://evil.example|Sign in>",
        "<!channel>",
        "<!subteam^S0OPERATORS>",
        "<#C0WINDOWS>",
        "`",
        "```",
      ),
      fc.string({ unit: "grapheme", maxLength: 12 }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((words) => words.join(" "));

/** Everything in a stored message that can be pressed or calls somebody. */
const live = (blocks: readonly object[]): string[] =>
  JSON.stringify(checkedContent({ text: "a", blocks }, () => "id").blocks).match(/<(?:https?:|mailto:|[!@#])/g) ?? [];

test.each([
  ["plain", (words: string) => plain(words)],
  ["prose", (words: string) => prose(words)],
  ["code", code],
  ["echo", echo],
  ["a line of code", (words: string) => fenced(codeLine(words))],
  ["a block of code", (words: string) => codeBlock(words, 2_000)],
])("Words from elsewhere, said as %s, hold no link and call nobody", (_way, say) => {
  fc.assert(
    fc.property(foreign, (words) => {
      const said = `${say(words)} `;
      expect(live([section(said), context(said)])).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test("Links and mentions that Casement makes itself stay live", () => {
  expect(live([section("<https://docs.example|Runbook> for <@U0OPERATOR>")])).toEqual(["<https:", "<@"]);
});
