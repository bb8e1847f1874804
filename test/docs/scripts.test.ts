import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pageAt } from "./pages.ts";

/** npm runs these by itself, before the script that they are named after. */
const isHook = (name: string, all: readonly string[]): boolean =>
  all.includes(name.replace(/^pre/, "")) && /^pre/.test(name);

test("contributing.md has one line for each script of package.json, and no other", () => {
  const names = Object.keys(JSON.parse(readFileSync("package.json", "utf8")).scripts);
  const rows = pageAt("docs/contributing.md").text.matchAll(/^\| `npm (?:run )?([\w:-]+)` \| \S/gm);
  const listed = [...rows].map(([, name]) => name ?? "");
  expect(listed.toSorted()).toEqual(names.filter((name) => !isHook(name, names)).toSorted());
});
