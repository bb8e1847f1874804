import { afterAll, beforeAll, expect, test } from "vitest";
import { lookAnswers } from "../../lambdas/capabilities/answers.ts";
import type { Capability } from "../../lambdas/capabilities/capability.ts";
import { command } from "../../lambdas/capabilities/command.ts";
import { capabilities } from "../../lambdas/capabilities/list.ts";
import { lookBy } from "../../lambdas/capabilities/look/look-by.ts";
import { partsOf, registry } from "../../lambdas/capabilities/registry.ts";
import { parserOf } from "../../lambdas/commands/parse.ts";
import { say } from "../../lambdas/messages/slack/blocks.ts";
import type { Message } from "../../lambdas/records/records.ts";
import { commandsDocument } from "../../lib/commands-document.ts";
import { inMinutes, run, setUp, tearDown, verbs } from "../engine/durable-engine.ts";
import { operationRecord } from "../messages/records.ts";
import { configurationWith } from "../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

/** Its data: `lambdas/capabilities/tides/capability.ts`. */
const tides = {
  name: "tides",
  commands: [
    command({
      name: "tides",
      also: [],
      arguments: [{ name: "harbour", kind: "pool", required: true, means: "a pool" }],
      options: [],
      effect: "look",
      workflow: "look",
      dialog: false,
      title: ({ harbour }) => `Show the tides of ${harbour}`,
      summary: "Shows the tides of a pool",
      detail: "Shows when the water of a pool is high.",
      examples: ["tides web"],
    }),
  ],
} as const satisfies Capability;

/** Its answer, a line of `answers` in `lambdas/capabilities/answers.ts`. */
const showTides = async ({ request }: { readonly request: { readonly harbour: string } }): Promise<Message> =>
  say(`High water in ${request.harbour} at noon.`);

/** The line of `lambdas/capabilities/list.ts`. */
const list = registry([...capabilities, tides]);

const commands = partsOf(list, "commands").flat();

const typed = (text: string) => parserOf(commands)(text, { pools: ["web"], commandWord: "/win" });

test("its request is read by its arguments", () => {
  expect(typed("tides web")).toEqual({ request: { command: "tides", harbour: "web" } });
  expect(typed("tides")).toMatchObject({ problem: { kind: "missing" } });
});

test("its chapter is in the page of commands", () => {
  expect(commandsDocument(commands, "/win")).toContain("## tides\n\n`/win tides <harbour>`\n\nShows when");
});

test("its title names the request", () => {
  expect(tides.commands[0].title({ command: "tides", harbour: "web" })).toBe("Show the tides of web");
});

/** Answers what is typed, as the function `look` does. @returns what the requester reads */
async function answered(
  text: string,
  known: Parameters<typeof lookBy>[0] = { ...lookAnswers, tides: showTides },
): Promise<readonly string[]> {
  const read: string[] = [];
  const { id, asker } = operationRecord();
  const parsed = typed(text);
  if ("problem" in parsed) throw new Error(parsed.problem.kind);
  const people = { fisher: [asker.userId] };
  const steps = verbs({
    runtime: {
      read: async () => ({
        version: "1",
        configuration: { ...configurationWith(), people, policy: { tides: ["fisher"] } },
      }),
      rules: async () => ({ command: "/win" }),
    },
    people: { lastKnown: async () => ({ membership: "member", groups: [] }) },
    ledger: {
      operation: async () => operationRecord(),
      unfinished: async () => [],
      changeOperation: async () => undefined,
    },
    answers: { give: async (_id: string, _requester: unknown, message: Message) => void read.push(message.text) },
  });
  const start = { operation: id, request: parsed.request, asker, notAfter: inMinutes(15) / 1_000 };
  expect((await run((ctx) => lookBy(known)(steps)(start, ctx))).status).toBe("SUCCEEDED");
  return read;
}

test("its answer reaches the requester", async () => {
  expect(await answered("tides web")).toEqual(["High water in web at noon."]);
});

test("without an answer its requester is told that it cannot be shown", async () => {
  expect(await answered("tides web", lookAnswers)).toEqual(["tides cannot be shown."]);
});
