import { describe, expect, test } from "vitest";
import { messageFaults, sentence, tooLongTogether, viewFaults } from "../../../lib/sandbox/slack/block-kit/validate.ts";
import { bench, CHANNEL } from "./workbench.ts";

const plain = (text: string) => ({ type: "plain_text", text });
const mrkdwn = (text: string) => ({ type: "mrkdwn", text });
const button = (more: object = {}) => ({ type: "button", text: plain("Go"), action_id: "go", ...more });
const actions = (...elements: object[]) => ({ type: "actions", elements });
const section = (text: unknown) => ({ type: "section", text });
const option = (value: string) => ({ text: plain(value), value });
const input = (element: object, more: object = {}) => ({ type: "input", label: plain("Why"), element, ...more });
const confirm = { title: plain("Sure?"), text: mrkdwn("*Really*"), confirm: plain("Yes"), deny: plain("No") };

describe("blocks Slack takes", () => {
  test.each([
    ["a header", { type: "header", text: plain("Adding") }],
    ["a section with text", section(mrkdwn("*web*"))],
    ["a section with ten fields", { type: "section", fields: Array.from({ length: 10 }, () => mrkdwn("a")) }],
    ["a section with a button beside it", { ...section(mrkdwn("a")), accessory: button({ style: "danger", confirm }) }],
    ["a section with a menu", { ...section(plain("a")), accessory: { type: "overflow", options: [option("a")] } }],
    [
      "a context",
      { type: "context", elements: [mrkdwn("a"), { type: "image", image_url: "https://a/b", alt_text: "b" }] },
    ],
    ["a divider", { type: "divider", block_id: "line" }],
    ["25 buttons", actions(...Array.from({ length: 25 }, (_, n) => button({ action_id: `go-${n}` })))],
    ["a select", actions({ type: "static_select", action_id: "s", placeholder: plain("…"), options: [option("a")] })],
    ["a text input", input({ type: "plain_text_input", multiline: true, max_length: 100 }, { optional: true })],
    ["checkboxes", input({ type: "checkboxes", options: [option("a")], initial_options: [option("a")] })],
    ["radio buttons", input({ type: "radio_buttons", options: [option("a"), option("b")] })],
    [
      "preformatted rich text",
      {
        type: "rich_text",
        elements: [{ type: "rich_text_preformatted", elements: [{ type: "text", text: "NAME  STATUS" }] }],
      },
    ],
    ["a table", { type: "table", rows: [[{ type: "raw_text", text: "NAME" }]] }],
    ["markdown", { type: "markdown", text: "# Title" }],
  ])("takes %s", (_, block) => {
    expect(messageFaults([block])).toEqual([]);
  });
});

const wrongBlocks: [string, unknown, string, string][] = [
  ["text above 3,000", section(mrkdwn("x".repeat(3001))), "must be less than 3001 characters", "/blocks/0/text/text"],
  ["empty text", section(mrkdwn("")), "must be more than 0 characters", "/blocks/0/text/text"],
  ["text that is a string", section("hello"), "must provide an object", "/blocks/0/text"],
  [
    "an unknown kind of text",
    section({ type: "markdown", text: "a" }),
    "unsupported type: markdown",
    "/blocks/0/text/type",
  ],
  ["emoji in mrkdwn", section({ ...mrkdwn("a"), emoji: true }), "invalid additional property: emoji", "/blocks/0/text"],
  ["a section of nothing", { type: "section" }, "must provide one of: text, fields", "/blocks/0"],
  [
    "eleven fields",
    { type: "section", fields: Array.from({ length: 11 }, () => mrkdwn("a")) },
    "no more than 10 items allowed",
    "/blocks/0/fields",
  ],
  [
    "a long field",
    { type: "section", fields: [mrkdwn("x".repeat(2001))] },
    "must be less than 2001 characters",
    "/blocks/0/fields/0/text",
  ],
  ["mrkdwn in a header", { type: "header", text: mrkdwn("a") }, "must be a valid enum value", "/blocks/0/text/type"],
  [
    "a long header",
    { type: "header", text: plain("x".repeat(151)) },
    "must be less than 151 characters",
    "/blocks/0/text/text",
  ],
  [
    "a long label for screen readers",
    actions(button({ accessibility_label: "x".repeat(76) })),
    "must be less than 76 characters",
    "/blocks/0/elements/0/accessibility_label",
  ],
  [
    "mrkdwn on a button",
    actions(button({ text: mrkdwn("Go") })),
    "must be a valid enum value",
    "/blocks/0/elements/0/text/type",
  ],
  [
    "a long button",
    actions(button({ text: plain("x".repeat(76)) })),
    "must be less than 76 characters",
    "/blocks/0/elements/0/text/text",
  ],
  [
    "a long value",
    actions(button({ value: "x".repeat(2001) })),
    "must be less than 2001 characters",
    "/blocks/0/elements/0/value",
  ],
  [
    "a disabled button",
    actions(button({ disabled: true })),
    "invalid additional property: disabled",
    "/blocks/0/elements/0",
  ],
  ["a green button", actions(button({ style: "green" })), "must be a valid enum value", "/blocks/0/elements/0/style"],
  [
    "26 buttons",
    actions(...Array.from({ length: 26 }, (_, n) => button({ action_id: `${n}` }))),
    "no more than 25 items allowed",
    "/blocks/0/elements",
  ],
  ["no buttons", actions(), "no fewer than 1 items allowed", "/blocks/0/elements"],
  ["two equal action ids", actions(button(), button()), "action_id already exists: go", "/blocks/0"],
  ["text in actions", actions(mrkdwn("a")), "unsupported type: mrkdwn", "/blocks/0/elements/0/type"],
  [
    "101 options",
    actions({ type: "static_select", options: Array.from({ length: 101 }, (_, n) => option(`${n}`)) }),
    "no more than 100 items allowed",
    "/blocks/0/elements/0/options",
  ],
  [
    "a menu of nothing",
    actions({ type: "static_select" }),
    "must provide one of: options, option_groups",
    "/blocks/0/elements/0",
  ],
  [
    "a confirm without words",
    actions(button({ confirm: { ...confirm, title: undefined } })),
    "must provide an object",
    "/blocks/0/elements/0/confirm/title",
  ],
  [
    "a long confirm",
    actions(button({ confirm: { ...confirm, text: mrkdwn("x".repeat(301)) } })),
    "must be less than 301 characters",
    "/blocks/0/elements/0/confirm/text/text",
  ],
  ["an address without http", actions(button({ url: "javascript:1" })), "invalid url", "/blocks/0/elements/0/url"],
  [
    "a context of eleven",
    { type: "context", elements: Array.from({ length: 11 }, () => mrkdwn("a")) },
    "no more than 10 items allowed",
    "/blocks/0/elements",
  ],
  ["an input of a button", input(button()), "unsupported type: button", "/blocks/0/element/type"],
  [
    "an input without a label",
    { type: "input", element: { type: "plain_text_input" } },
    "missing required field: label",
    "/blocks/0",
  ],
  [
    "a long block id",
    { type: "divider", block_id: "x".repeat(256) },
    "must be less than 256 characters",
    "/blocks/0/block_id",
  ],
  ["an unknown block", { type: "marquee" }, "unsupported type: marquee", "/blocks/0/type"],
  ["a type that every object has", { type: "constructor" }, "unsupported type: constructor", "/blocks/0/type"],
  ["a block without a type", { text: mrkdwn("a") }, "missing required field: type", "/blocks/0"],
  ["something that is no block", "text", "must provide an object", "/blocks/0"],
];

describe("blocks Slack refuses", () => {
  test.each(wrongBlocks)("refuses %s", (_, block, message, pointer) => {
    expect(messageFaults([block])).toContainEqual({ message, pointer });
  });

  test("refuses more than fifty blocks and two of the same id", () => {
    const lines = Array.from({ length: 51 }, () => ({ type: "divider" }));
    expect(messageFaults(lines)).toEqual([{ message: "no more than 50 items allowed", pointer: "/blocks" }]);
    const twins = [1, 2].map(() => ({ type: "divider", block_id: "line" }));
    expect(messageFaults(twins)).toEqual([{ message: "block_id already exists: line", pointer: "/blocks" }]);
  });

  test("finds blocks that are right one by one too long together, near 13,200 characters", () => {
    const sections = (length: number) => Array.from({ length: 5 }, () => section(mrkdwn("x".repeat(length))));
    expect(tooLongTogether(sections(2_500))).toBe(false);
    expect(tooLongTogether(sections(2_700))).toBe(true);
  });

  test("answers a call with Slack's error, its list of reasons and nothing posted", async () => {
    const { client, service } = bench();
    const blocks = [section(mrkdwn("x".repeat(3001)))];
    const call = client.apiCall("chat.postMessage", { channel: CHANNEL, text: "a", blocks });
    await expect(call).rejects.toMatchObject({
      data: {
        error: "invalid_blocks",
        response_metadata: {
          messages: [
            "[ERROR] failed to match all allowed schemas [json-pointer:/blocks/0/text]",
            "[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]",
          ],
        },
      },
    });
    const long = Array.from({ length: 5 }, () => section(mrkdwn("x".repeat(2_900))));
    const heavy = client.apiCall("chat.postMessage", { channel: CHANNEL, text: "a", blocks: long });
    await expect(heavy).rejects.toMatchObject({ data: { error: "msg_blocks_too_long" } });
    expect(service.messages()).toEqual([]);
  });
});

describe("views", () => {
  const view = { type: "modal", title: plain("Remove"), blocks: [section(mrkdwn("a"))] };

  test.each([
    ["a long title", { ...view, title: plain("x".repeat(25)) }, "must be less than 25 characters", "/view/title/text"],
    ["no title", { ...view, title: undefined }, "must provide an object", "/view/title"],
    ["another type", { ...view, type: "home" }, "must be a valid enum value", "/view/type"],
    [
      "an unknown property",
      { ...view, submit_disabled: true },
      "invalid additional property: submit_disabled",
      "/view",
    ],
    [
      "much metadata",
      { ...view, private_metadata: "x".repeat(3001) },
      "must be less than 3001 characters",
      "/view/private_metadata",
    ],
    ["a table", { ...view, blocks: [{ type: "table", rows: [[]] }] }, "unsupported type: table", "/view/blocks/0/type"],
    [
      "an input and no button to submit",
      { ...view, blocks: [input({ type: "plain_text_input" })] },
      "must define `submit` to use an `input` block in modals",
      "/view",
    ],
    ["no object", "view", "must provide an object", "/view"],
  ])("refuses %s", (_, wrong, message, pointer) => {
    expect(viewFaults(wrong)).toContainEqual({ message, pointer });
  });

  test("takes a hundred blocks and no more", () => {
    const lines = (count: number) => Array.from({ length: count }, () => ({ type: "divider" }));
    expect(viewFaults({ ...view, blocks: lines(100) })).toEqual([]);
    expect(viewFaults({ ...view, blocks: lines(101) }).map(sentence)).toEqual([
      "no more than 100 items allowed [json-pointer:/view/blocks]",
    ]);
  });
});
