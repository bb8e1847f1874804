import { expect, test } from "vitest";
import { workflowNames } from "../../../lib/functions.ts";
import { type History, keepHistories } from "../histories.ts";
import { harvest, wayOf } from "./harvest.ts";
import { ways } from "./ways.ts";

const kept = new Map<string, History>();

test.each(ways)("$name", { timeout: 600_000 }, async (way) => {
  const here = await way.begin();
  const since = Date.now();
  await way.go(here);
  const found = harvest(here, way, since);
  await here.close();
  expect(way.keeps.filter((name) => !found.some((one) => one.function === name))).toEqual([]);
  for (const history of found) if (!kept.has(wayOf(history))) kept.set(wayOf(history), history);
});

test("every workflow has a history", () => {
  const recorded = new Set([...kept.values()].map((history) => history.function));
  expect(workflowNames.filter((name) => !recorded.has(name))).toEqual([]);
});

/** Numbers histories of the same way and function, so that a name is one history's. */
function named(histories: readonly History[]): History[] {
  const counts = new Map<string, number>();
  return histories.map((history) => {
    const name = `${history.name}: ${history.function}`;
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return { ...history, name: count === 1 ? name : `${name} ${count}` };
  });
}

// The first failure ends the run before this: what is kept is whole.
test("the histories are kept", () => keepHistories(named([...kept.values()])));
