import { expect, test } from "vitest";
import { commands } from "../../lambdas/commands/list.ts";
import type { Request } from "../../lambdas/commands/request.ts";
import { drainRefused } from "../../lambdas/messages/node/drain.ts";
import { failureBlocks } from "../../lambdas/messages/operation/failure.ts";
import type { Failure } from "../../lambdas/records/failures.ts";
import type { NodeRecord } from "../../lambdas/records/records.ts";
import { nodeRecord, operationRecord } from "./records.ts";

const NODE = "ip-10-0-3-7";
const settings = { region: "us-west-2", runbook: null };

/** The message of a node whose operation failed with these words. */
const shown = (request: Request, failure: NonNullable<NodeRecord["failure"]>): string => {
  const node = nodeRecord({ status: "failed", nodeName: NODE, failure });
  return JSON.stringify(failureBlocks(node, operationRecord({ request }), settings, "2026-11-21T04:00:00.000Z", 600));
};

const failed = (stage: Failure["stage"], why: string) => ({ stage, why, left: "" });

test.each<[Request, NonNullable<NodeRecord["failure"]>, string]>([
  [{ command: "add", pool: "web", count: 1, dryRun: false }, failed("agent", "late"), "`{win} add web` tries again."],
  [{ command: "remove", node: NODE, dryRun: false }, failed("evict", "late"), `\`{win} remove ${NODE}\` tries again.`],
  [{ command: "drain", node: NODE, dryRun: false }, failed("evict", "late"), `\`{win} drain ${NODE}\` tries again.`],
  [{ command: "reboot", node: NODE, dryRun: false }, failed("cordon", "403"), `\`{win} reboot ${NODE}\` tries again.`],
  [{ command: "reboot", node: NODE, dryRun: false }, failed("prove", "late"), `\`{win} prove ${NODE}\` tries again.`],
])("%j that fails names the command that tries again", (request, failure, next) => {
  expect(shown(request, failure)).toContain(`*Next:* ${next}`);
});

test("a remedy names commands by the word that the deployment uses", () => {
  const frozen = shown(
    { command: "drain", node: NODE, dryRun: false },
    {
      ...failed("evict", "the node is frozen"),
      code: "frozen-or-held",
    },
  );
  expect(frozen).toContain("end it with `{win} thaw` or `{win} unhold`, then try again");
  expect(shown({ command: "reboot", node: NODE, dryRun: false }, failed("prove", "late"))).toContain("run `{win} why`");
});

test("a refused drain names options that its command has", () => {
  const reasons = ["unmanaged", "empty-dir", "daemonset-orphaned"] as const;
  const text = drainRefused(reasons.map((reason) => ({ pod: "shop/web", reason, detail: "" })));
  const options = [...text.matchAll(/--[a-z-]+/g)].map(([option]) => option.slice(2));
  const known = commands.find(({ name }) => name === "drain")?.options.map(({ option }) => option) ?? [];
  expect(options.length).toBeGreaterThan(0);
  expect(options.filter((option) => !known.includes(option))).toEqual([]);
});
