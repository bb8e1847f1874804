import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { detailOf } from "../../../lambdas/capabilities/audit/entry-words.ts";
import { operationsMessage } from "../../../lambdas/capabilities/look/operations-table.ts";
import { notApprovedSummary } from "../../../lambdas/messages/approval/approval.ts";
import { typeThis } from "../../../lambdas/messages/command/syntax.ts";
import { say } from "../../../lambdas/messages/slack/blocks.ts";
import { fill, filled, fillText } from "../../../lambdas/messages/slack/command-word.ts";
import { code, codeBlock, codeLine, echo, plain, prose } from "../../../lambdas/messages/slack/text.ts";
import { stopperText } from "../../../lambdas/messages/stops/stop.ts";
import type { Message } from "../../../lambdas/records/records.ts";
import { NOW, operationRecord } from "../records.ts";

const shown = (message: Message): string => JSON.stringify(filled(message, "/win-b"));

describe("The command word", () => {
  test("is filled into every text of a message, and into nothing that only programs read", () => {
    const button = { type: "button", text: { type: "plain_text", text: "Run {win}" }, value: "{win}" };
    const message = { text: typeThis("nodes"), blocks: [{ type: "actions", elements: [button] }] };
    expect(filled(message, "/win-b")).toEqual({
      text: "`/win-b nodes`",
      blocks: [{ type: "actions", elements: [{ ...button, text: { type: "plain_text", text: "Run /win-b" } }] }],
    });
  });

  test("is looked up only for what names it", async () => {
    const never = () => Promise.reject(new Error("asked"));
    expect(await fill(say("all is well"), never)).toEqual(say("all is well"));
    expect(await fillText("all is well", never)).toBe("all is well");
    expect(await fillText("run {win} nodes", async () => "/win-b")).toBe("run /win-b nodes");
  });

  test("leaves a text within Slack's limit, however long it is", () => {
    const full = "{win} ".repeat(500);
    const { text } = filled(say(full), `/${"w".repeat(31)}`);
    expect(text.length).toBe(3_000);
  });

  test("is filled into sentences of the ledger, of today and of releases that wrote the word itself", () => {
    const kept = (summary: string) => shown(say(prose(summary)));
    expect(kept(`To withdraw it: ${typeThis("cancel", "add-1")}.`)).toContain("`/win-b cancel add-1`");
    expect(kept("To withdraw it: `/win cancel add-1`.")).toContain("`/win cancel add-1`");
    expect(shown(say(codeBlock(`frozen: ${typeThis("thaw")}`, 200)))).toContain("/win-b thaw");
  });

  test("stands in no sentence of the messages, of workflows or of the front door itself", () => {
    const sources = globSync("lambdas/{messages,workflows,front-door,steps,commands}/**/*.ts");
    const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    const naming = sources.filter((file) => /\/win[ `"]/.test(withoutComments(readFileSync(file, "utf8"))));
    expect(naming).toEqual(["lambdas/messages/slack/command-word.ts"]);
  });
});

describe("{win} that a person has typed", () => {
  const typed = "run {win} now";

  test.each([
    ["a name", plain(typed)],
    ["a name in code", code(typed)],
    ["a command that names it", typeThis("node", "{win}").replace("`{win} ", "")],
    ["an echo", echo(typed)],
    ["a name in a sentence of the ledger", prose(`it was ${plain(typed)}`)],
    ["a name in a code block", codeLine(plain(typed))],
    ["the reason of a denial", prose(notApprovedSummary({ kind: "denied", by: "U0APPROVER", reason: typed }, ""))],
    ["the reason of a request in the audit", codeLine(requestedFor(typed))],
  ])("is not filled in as %s", (_, text) => {
    expect(shown(say(text))).not.toContain("/win-b");
  });

  test("is not filled into the reason of a freeze, beside the command that ends it", () => {
    const stop = {
      kind: "freeze",
      reason: typed,
      by: "olga",
      at: NOW,
      until: null,
      target: { kind: "cluster" },
    } as const;
    const { text } = filled(say(stopperText(stop, "web-1")), "/win-b");
    expect(text).toContain("`/win-b thaw`");
    expect(text.match(/\/win-b/g)).toHaveLength(1);
  });

  test("is not filled into the list of operations", () => {
    const request = { command: "freeze", pool: null, reason: typed } as const;
    expect(shown(operationsMessage([operationRecord({ request })], {}, NOW))).not.toContain("/win-b now");
  });
});

function requestedFor(reason: string): string {
  const detail = { command: "freeze", pool: null, reason };
  return detailOf({ what: "requested", detail } as unknown as Parameters<typeof detailOf>[0]);
}
