import { expect, test } from "vitest";
import {
  code,
  codeBlock,
  codeLine,
  codeSpan,
  counted,
  echo,
  escaped,
  failureWords,
  fenced,
  GAVE_UP,
  mentionOf,
  plain,
  prose,
  sentence,
  some,
} from "../../../lambdas/messages/slack/text.ts";

test("Text from elsewhere is escaped and cut, and no entity is cut in two", () => {
  expect(escaped("a & <b>", 30)).toBe("a &amp; &lt;b&gt;");
  expect(escaped("abcd", 4)).toBe("abcd");
  expect(escaped("abcde", 4)).toBe("abc…");
  expect(escaped("ab<c", 6)).toBe("ab…");
  expect(escaped("a<b", 6)).toBe("a&lt;b");
});

test("One line calls no channel, opens no code block and keeps no control character", () => {
  expect(plain(" a\nb\u202ec\u0000 ```x``` ")).toBe("a b c  'x'");
  expect(plain("@here @channels @EVERYONE")).toBe("@\u200bhere @channels @\u200bEVERYONE");
  expect(plain("x".repeat(301))).toBe(`${"x".repeat(299)}…`);
  expect(plain("a {win} b")).not.toContain("{win}");
});

test("Sentences of the ledger mention people alone", () => {
  expect(prose("<@U0OPERATOR> and <@W0X> asked <!here> <@S0GROUP>")).toBe(
    "<@U0OPERATOR> and <@W0X> asked &lt;!here&gt; &lt;@S0GROUP&gt;",
  );
  expect(prose("<@u0lower> {win}")).toBe("&lt;@u0lower&gt; {win}");
  expect(failureWords("`a` <@U0OPERATOR> {win}", 100)).toBe("'a' &lt;@U0OPERATOR&gt; {win}");
});

test("Code cannot be left", () => {
  expect([code("a`b"), code(""), codeSpan("abcdef", 4)]).toEqual(["`a'b`", "` `", "`abc…`"]);
  expect(echo("<@U0X>`\u0000")).toBe("`&lt;@\u200bU0X&gt;'\ufffd`");
  expect(echo("  ")).toBe("` `");
  expect(echo("x".repeat(81))).toBe(`\`${"x".repeat(79)}…\``);
  expect(codeLine("a\tb\n`c`")).toBe("a b 'c'");
  expect(fenced("x")).toBe("```\nx\n```");
  expect(codeBlock("  a\tb\n@here ` \u0007 ", 100)).toBe("```\na\tb\n@\u200bhere '\n```");
  expect(codeBlock("abcdef", 12)).toBe("```\nabc…\n```");
  expect(codeBlock(" ", 12)).toBe("```\n \n```");
});

test("Clauses become sentences, and numbers and lists are counted", () => {
  expect([sentence("it failed..."), sentence("It failed"), sentence("éa")]).toEqual([
    "It failed.",
    "It failed.",
    "éa.",
  ]);
  expect([counted(0, "node"), counted(1, "node"), counted(2, "node")]).toEqual(["0 nodes", "1 node", "2 nodes"]);
  expect([some(["a", "b"], 2), some(["a", "b", "c"], 2), some([], 2)]).toEqual(["a, b", "a, b and 1 more", ""]);
  expect([mentionOf("S0ONCALL"), mentionOf("U0OPERATOR")]).toEqual(["<!subteam^S0ONCALL>", "<@U0OPERATOR>"]);
  expect("gave up waiting for x".replace(GAVE_UP, "")).toBe("x");
  expect("x gave up waiting for x".replace(GAVE_UP, "")).toBe("x gave up waiting for x");
});
