import { expect, test } from "vitest";
import { guardedRules } from "../../../lambdas/audit/rules-change.ts";
import { announceRules } from "../../../lambdas/capabilities/sweep/changed-rules.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { channel } from "../reboot-watch/posted.ts";

const people = { operator: ["U0OPERATOR"] };
const now = { ...configurationWith(), people } as ReturnType<typeof configurationWith>;
const before = { ...now, people: { operator: ["U0OTHER"] } } as typeof now;

/** Announces the rules of version 2. @returns what was posted and kept */
async function announced(known: { version: string; of: typeof now } | undefined, configuration = now) {
  const { posted, thread } = channel();
  const kept: string[] = [];
  const rules = known && { version: known.version, rules: guardedRules(known.of) };
  const announcements = {
    rules: async () => rules,
    keepRules: async ({ version }: { version: string }) => void kept.push(version),
  };
  const runtime = { read: async () => ({ version: "2", configuration }) };
  await announceRules(verbs({ thread, runtime, announcements }));
  return { posted: posted.map((text) => text.split(":")[0]), kept };
}

test("A deployment that changed rules is told once, and one that did not is only kept", async () => {
  expect(await announced({ version: "1", of: before })).toEqual({ posted: ["rules 2"], kept: ["2"] });
  expect(await announced({ version: "1", of: now })).toEqual({ posted: [], kept: ["2"] });
  expect(await announced({ version: "2", of: before })).toEqual({ posted: [], kept: [] });
});

test("The first release is no change, and rules that cannot be read wait for a later sweep", async () => {
  expect(await announced(undefined)).toEqual({ posted: [], kept: ["2"] });
  const unreadable = { ...now, pools: { ...now.pools, web: { ...now.pools.web, rulesFault: "approvals" } } } as never;
  expect(await announced({ version: "1", of: before }, unreadable)).toEqual({ posted: [], kept: [] });
});
