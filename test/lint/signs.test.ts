import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sign } from "../../lambdas/messages/slack/signs.ts";

const root = join(import.meta.dirname, "../..");
const SIGNS = "lambdas/messages/slack/signs.ts";

test("each sign has one meaning", () => {
  const all = Object.values(sign);
  expect(all.filter((one, at) => all.indexOf(one) !== at)).toEqual([]);
});

test("messages take their signs from one list", () => {
  const written = globSync("lambdas/**/*.ts", { cwd: root })
    .filter((path) => path !== SIGNS)
    .flatMap((path) => {
      const found = readFileSync(join(root, path), "utf8").match(/\p{Extended_Pictographic}/gu) ?? [];
      return found.map((one) => `${path}: ${one}`);
    });
  expect(written).toEqual([]);
});

test("the legend for people on call has each sign once", () => {
  const legend = readFileSync(join(root, "docs/runbook.md"), "utf8").matchAll(/^\| (\S+) \| /gm);
  const told = [...legend].map(([, one = ""]) => one).filter((one) => /\p{Extended_Pictographic}/u.test(one));
  expect(told.toSorted()).toEqual(Object.values(sign).toSorted());
});
