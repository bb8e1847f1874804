import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { controllerNames } from "../../../lib/sandbox/kubernetes/controllers/control-plane.ts";
import { selectionError, selectNeighbours } from "../../../lib/sandbox/neighbours/selection.ts";
import { neighbours } from "../../../lib/sandbox/neighbours/table.ts";

const namesOf = ({ neighbours: on }: ReturnType<typeof selectNeighbours>): string[] => on.map(({ name }) => name);

test("a new state has no neighbour and all controllers", () => {
  const selection = selectNeighbours(openStore(":memory:"), {});
  expect(namesOf(selection)).toEqual([]);
  expect([...selection.without]).toEqual([]);
});

test("a selection is kept in the state until it is changed", () => {
  const store = openStore(":memory:");
  selectNeighbours(store, { with: ["wmco"], without: ["scheduler", "cloud-nodes"] });
  const later = selectNeighbours(store, {});
  expect(namesOf(later)).toEqual(["wmco"]);
  expect([...later.without].sort()).toEqual(["cloud-nodes", "scheduler"]);
  const changed = selectNeighbours(store, { with: ["scheduler"], without: ["wmco"] });
  expect(namesOf(changed)).toEqual([]);
  expect([...changed.without]).toEqual(["cloud-nodes"]);
});

test("an unknown name is refused with the known ones, before anything is kept", () => {
  const store = openStore(":memory:");
  expect(() => selectNeighbours(store, { with: ["wmco", "wmko"] })).toThrow(
    /no neighbour or controller "wmko".*wmco.*scheduler/,
  );
  expect(namesOf(selectNeighbours(store, {}))).toEqual([]);
});

test("a name cannot be switched on and off at once", () => {
  expect(selectionError({ with: ["wmco"], without: ["wmco"] })).toMatch(/"wmco" cannot be switched on and off at once/);
});

test("the sandbox's page lists every neighbour with its sentence, and every controller", () => {
  const page = readFileSync(new URL("../../../docs/sandbox.md", import.meta.url), "utf8");
  for (const { name, sentence } of neighbours) expect(page).toContain(`| \`${name}\` | ${sentence} |`);
  for (const name of controllerNames) expect(page).toContain(`\`${name}\``);
});
