import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { controllerNames } from "../../../lib/sandbox/kubernetes/controllers/control-plane.ts";
import { chosen, mistakeIn } from "../../../lib/sandbox/neighbours/choice.ts";
import { neighbours } from "../../../lib/sandbox/neighbours/table.ts";

const namesOf = ({ neighbours: on }: ReturnType<typeof chosen>): string[] => on.map(({ name }) => name);

test("a new state has no neighbour and all controllers", () => {
  const choice = chosen(openStore(":memory:"), {});
  expect(namesOf(choice)).toEqual([]);
  expect([...choice.without]).toEqual([]);
});

test("a choice is kept in the state until it is changed", () => {
  const store = openStore(":memory:");
  chosen(store, { with: ["wmco"], without: ["scheduler", "cloud-nodes"] });
  const later = chosen(store, {});
  expect(namesOf(later)).toEqual(["wmco"]);
  expect([...later.without].sort()).toEqual(["cloud-nodes", "scheduler"]);
  const changed = chosen(store, { with: ["scheduler"], without: ["wmco"] });
  expect(namesOf(changed)).toEqual([]);
  expect([...changed.without]).toEqual(["cloud-nodes"]);
});

test("an unknown name is refused with the known ones, before anything is kept", () => {
  const store = openStore(":memory:");
  expect(() => chosen(store, { with: ["wmco", "wmko"] })).toThrow(/no neighbour or controller "wmko".*wmco.*scheduler/);
  expect(namesOf(chosen(store, {}))).toEqual([]);
});

test("a name cannot be switched on and off at once", () => {
  expect(mistakeIn({ with: ["wmco"], without: ["wmco"] })).toMatch(/"wmco" cannot be switched on and off at once/);
});

test("the sandbox's page lists every neighbour with its sentence, and every controller", () => {
  const page = readFileSync(new URL("../../../docs/sandbox.md", import.meta.url), "utf8");
  for (const { name, sentence } of neighbours) expect(page).toContain(`| \`${name}\` | ${sentence} |`);
  for (const name of controllerNames) expect(page).toContain(`\`${name}\``);
});
