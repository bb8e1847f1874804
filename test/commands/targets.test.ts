import { expect, test } from "vitest";
import { parse } from "../../lambdas/commands/parse.ts";

const vocabulary = { pools: ["web", "batch"], commandWord: "/win" };
const parsed = (text: string) => parse(text, vocabulary);

test("one node is a request on that node, without what only several nodes need", () => {
  expect(parsed("reboot ip-10-0-3-7 --max 2 --canary")).toEqual({
    request: { command: "reboot", node: "ip-10-0-3-7", dryRun: false },
  });
});

test("a pool and several nodes are a rollout", () => {
  expect(parsed("reboot web --max 2")).toEqual({
    request: { command: "reboot", targets: { kind: "pool", pool: "web" }, dryRun: false, canary: false, max: 2 },
  });
  expect(parsed("reboot win-1 win-2 --canary")).toEqual({
    request: { command: "reboot", targets: { kind: "nodes", nodes: ["win-1", "win-2"] }, dryRun: false, canary: true },
  });
});

test("the losses of a pool are accepted by its name", () => {
  expect(parsed("reboot web --force web")).toMatchObject({
    request: { targets: { kind: "pool", pool: "web" }, force: "web" },
  });
});

test.each(["--ec2", '--break-glass "all is down"'])("%s is refused for several nodes", (option) => {
  expect(parsed(`reboot web ${option}`)).toMatchObject({ problem: { kind: "only-of-one" } });
});
