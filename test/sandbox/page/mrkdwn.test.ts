import { expect, test } from "vitest";
import { mrkdwn, type Piece } from "../../../lib/sandbox/page/browser/block-kit/mrkdwn.ts";

const text = (words: string): Piece => ({ kind: "text", text: words });

test.each<[string, Piece[]]>([
  ["plain words", [text("plain words")]],
  ["a &lt;b&gt; &amp;amp; c", [text("a <b> &amp; c")]],
  [
    "*bold* and _italic_",
    [{ kind: "bold", pieces: [text("bold")] }, text(" and "), { kind: "italic", pieces: [text("italic")] }],
  ],
  ["*_both_*", [{ kind: "bold", pieces: [{ kind: "italic", pieces: [text("both")] }] }]],
  ["~gone~", [{ kind: "strike", pieces: [text("gone")] }]],
  ["`a *b* &lt;`", [{ kind: "code", text: "a *b* <" }]],
  ["<https://a.example/?x=1&amp;y=2|here>", [{ kind: "link", url: "https://a.example/?x=1&y=2", text: "here" }]],
  ["<https://a.example>", [{ kind: "link", url: "https://a.example", text: "https://a.example" }]],
  ["<@U0OPERATOR>", [{ kind: "user", id: "U0OPERATOR", label: undefined }]],
  ["<#C1|windows-nodes>", [{ kind: "channel", id: "C1", label: "windows-nodes" }]],
  ["<!subteam^S1|@ops>", [{ kind: "group", id: "S1", label: "@ops" }]],
  ["<!here>", [{ kind: "everybody", id: "here", label: undefined }]],
  ["<!date^86400^{date_short}|then>", [{ kind: "date", seconds: 86_400, format: "{date_short}", fallback: "then" }]],
  ["done :tada:", [text("done "), { kind: "emoji", name: "tada" }]],
  ["one\ntwo", [text("one"), { kind: "break" }, text("two")]],
])("reads %s", (source, pieces) => {
  expect(mrkdwn(source)).toEqual(pieces);
});

test.each(["2*3*4", "snake_case_name", "a * b * c", "12:30:45", "C:\\a~b~c", "**", "a < b", "`open"])(
  "leaves %s as it is",
  (source) => {
    expect(mrkdwn(source)).toEqual([text(source)]);
  },
);

test("keeps a code block whole, whatever it holds", () => {
  const pieces = mrkdwn("before\n```\n*NAME*   STATUS\n&lt;none&gt;   <@U1>\n```\nafter");
  expect(pieces).toEqual([text("before"), { kind: "block", text: "*NAME*   STATUS\n<none>   <@U1>" }, text("after")]);
});

test("joins neighbouring quoted lines into one quotation", () => {
  expect(mrkdwn("&gt; one\n&gt; *two*\nthree")).toEqual([
    { kind: "quote", pieces: [text("one"), { kind: "break" }, { kind: "bold", pieces: [text("two")] }] },
    text("three"),
  ]);
});
