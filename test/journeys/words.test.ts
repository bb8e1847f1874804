import { afterAll, beforeAll, expect, test } from "vitest";
import { expectSound } from "./evidence.ts";
import { type Journey, startJourney } from "./journey.ts";
import { openly, privately } from "./reading.ts";

let here: Journey;
beforeAll(async () => {
  here = await startJourney();
});
afterAll(() => here.close());

const ADD = '`/win add &lt;pool&gt; [count] [--dry-run] [--reason "&lt;reason&gt;"]`';
const REMOVE =
  '`/win remove &lt;node&gt; [--dry-run] [--break-glass "&lt;reason&gt;"] [--at "&lt;time&gt;"] [--now "&lt;reason&gt;"] [--reason "&lt;reason&gt;"]`';
const HELP = "`/win help`";

/** Mistakes that a person types, each with the right form that the answer must show. */
const mistakes: readonly (readonly [string, string])[] = [
  ["add", ADD],
  ["add web 0", ADD],
  ["add web -1", ADD],
  ["add web −1", ADD],
  ["add web 1e9", ADD],
  ["add web 1000000000", ADD],
  ["add web 101", ADD],
  ["add web two", ADD],
  ["add web 1.5", ADD],
  ["add web 0x2", ADD],
  ["add web 2 3", ADD],
  ["add 2 web", "`web`"],
  ["add wbe 2", "`/win add web`"],
  ["add nosuchpool", "`batch`"],
  ["add <@U0VISITOR0>", "`web`"],
  ["add <!channel> 2", "`web`"],
  ["add web 2 --force", ADD],
  ["add web 🎉", ADD],
  ["add web 2; rm -rf /", ADD],
  ["add $(reboot)", "`web`"],
  ["remove", REMOVE],
  ["remove two nodes", REMOVE],
  ["remove 🪟", REMOVE],
  ["remove ../../etc/passwd", REMOVE],
  ["remove <@U0APPROVER>", REMOVE],
  ["remove --all", REMOVE],
  ["node", "`/win node &lt;node&gt;`"],
  ["node `who am i`", "`/win node &lt;node&gt;`"],
  ["nodes everything", "Pool `everything` not found. Pools:"],
  ["cancel", "`/win cancel &lt;operation&gt;`"],
  ["cancel everything", "`/win operations`"],
  ["frobnicate", HELP],
  ["rmeove ip-10-0-3-7", "`/win remove`"],
  ["🎉🎉🎉", HELP],
  ["<@U0VISITOR0> <!here>", HELP],
  ["'; DROP TABLE ledger; --", HELP],
  ["help frobnicate", HELP],
  ["x".repeat(4_000), HELP],
  ["add web ".repeat(500), HELP],
];

test.each(mistakes)("%j is answered kindly, in private, with the right form", async (typed, form) => {
  const before = here.simulator.slack.messages().length;
  const shown = await here.type("operator", `/win ${typed}`);
  expect(shown.error).toBeNull();
  expect(shown.messages).toHaveLength(1);
  expect(shown.messages[0]?.onlyTo).toBe("U0OPERATOR");
  const said = privately(here, "operator").at(-1) ?? "";
  expect(said).toContain(form);
  expect(said.length).toBeLessThan(700);
  // Nothing that was typed can ping anybody.
  expect(said).not.toMatch(/<[@!]/);
  expect(here.simulator.slack.messages()).toHaveLength(before + 1);
});

test("none of it started anything, and the ledger knows nothing of it", async () => {
  expect(here.simulator.lambda.executions()).toEqual([]);
  expect(await here.operations()).toEqual([]);
  expect(openly(here)).toEqual([]);
  await expectSound(here);
});

test("an unknown operation cannot be cancelled, and the way to find the right one is named", async () => {
  const shown = await here.type("operator", "/win cancel add-3f9c2a71");
  expect(shown.messages[0]?.text).toBe(
    "Operation `add-3f9c2a71` not found. `/win operations` lists recent operations.",
  );
});
