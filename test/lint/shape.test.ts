import { globSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { capabilities } from "../../lambdas/capabilities/list.ts";

const root = join(import.meta.dirname, "../..");

/** Files that a reader may find side by side in one folder. */
const MOST_FILES = 25;

/** Files that belong to no folder: what all of the others stand on. */
const MOST_LOOSE_FILES = 8;

const files = globSync("lambdas/**/*.ts", { cwd: root });

test("a folder of what runs in the cloud has few enough files to be read as a list", () => {
  const folders = Object.entries(Object.groupBy(files, dirname)).filter(([folder]) => folder !== "lambdas");
  expect(folders.length).toBeGreaterThan(20);
  const full = folders.filter(([, of = []]) => of.length > MOST_FILES);
  expect(full.map(([folder, of = []]) => `${folder}: ${of.length} files`)).toEqual([]);
  expect(files.filter((path) => dirname(path) === "lambdas").length).toBeLessThanOrEqual(MOST_LOOSE_FILES);
});

test("a capability has its folder, and a folder its line in the list", () => {
  const folders = globSync("lambdas/capabilities/*/capability.ts", { cwd: root }).map((path) => path.split("/")[2]);
  expect(capabilities.map(({ name }) => name).toSorted()).toEqual(folders.toSorted());
});

test("a function has a file of its name in the folder of its capability", () => {
  const missing = capabilities.flatMap((capability) =>
    "workflows" in capability
      ? Object.keys(capability.workflows)
          .map((name) => `lambdas/capabilities/${capability.name}/${name}.ts`)
          .filter((path) => !files.includes(path))
      : [],
  );
  expect(missing).toEqual([]);
});
