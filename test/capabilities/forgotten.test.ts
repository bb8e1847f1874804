import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { schedules } from "../../lambdas/capabilities/schedules.ts";
import type { Group, Questions } from "../../lambdas/machine/questions.ts";
import { rulesOf } from "../../lib/event-rules.ts";

test("every schedule has its rule", () => {
  const rules = rulesOf("west").flatMap(({ name, schedule }) => (schedule ? [[name, schedule]] : []));
  expect(rules).toEqual(schedules.map(({ name, every }) => [name, `rate(${every})`]));
});

describe("questions about a machine", () => {
  type ShapeOf<G extends Group> = NonNullable<Questions[G]> extends readonly unknown[] ? "Lists" : "Tables";

  /** The table of observe.ps1 that answers each group; a group that is missing here does not compile. */
  const tables: { readonly [G in Group]: ShapeOf<G> } = {
    paths: "Lists",
    services: "Lists",
    exits: "Lists",
    tasks: "Lists",
    rules: "Lists",
    registry: "Lists",
    certificates: "Lists",
    routes: "Lists",
    hns: "Tables",
    reboot: "Tables",
    boot: "Tables",
    guard: "Tables",
    metadata: "Tables",
    disk: "Tables",
    agent: "Tables",
  };
  const script = readFileSync("lambdas/scripts/observe.ps1", "utf8");

  test.each(["Lists", "Tables"] as const)("in $%s are the groups that observe.ps1 answers so", (table) => {
    const [, body = ""] = new RegExp(`^\\$${table} = \\[ordered\\] @\\{\\r?\\n([^]*?)^\\}`, "m").exec(script) ?? [];
    const known = [...body.matchAll(/^ {4}([a-z]+) = \{/gm)].map(([, name]) => name);
    expect(known).toEqual(Object.entries(tables).flatMap(([name, shape]) => (shape === table ? [name] : [])));
  });
});
