import { expect, test } from "vitest";
import { commands } from "../../../lambdas/commands/list.ts";
import type { Request } from "../../../lambdas/commands/request.ts";
import { drainRefused } from "../../../lambdas/messages/node/drain.ts";
import { failureBlocks } from "../../../lambdas/messages/operation/failure.ts";
import type { Failure } from "../../../lambdas/records/failures.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { NOW, nodeRecord, operationRecord } from "../records.ts";

const NODE = "ip-10-0-3-7";
const settings = { region: "us-west-2", runbook: null };

/** The message of a node whose operation failed with these words. */
const shown = (
  request: Request,
  failure: NonNullable<NodeRecord["failure"]>,
  workflow: NodeRecord["workflow"] = "drain",
): string => {
  const node = nodeRecord({ status: "failed", workflow, nodeName: NODE, failure });
  const view = { operation: operationRecord({ request }), now: "2026-11-21T04:00:00.000Z" };
  return JSON.stringify(failureBlocks(node, view, settings, 600));
};

const failed = (stage: Failure["stage"], why: string) => ({ stage, why, left: "" });

test.each<[Request, NonNullable<NodeRecord["failure"]>, string]>([
  [{ command: "add", pool: "web", count: 1, dryRun: false }, failed("agent", "late"), "`{win} add web` tries again."],
  [{ command: "remove", node: NODE, dryRun: false }, failed("evict", "late"), `\`{win} remove ${NODE}\` tries again.`],
  [{ command: "drain", node: NODE, dryRun: false }, failed("evict", "late"), `\`{win} drain ${NODE}\` tries again.`],
  [{ command: "reboot", node: NODE, dryRun: false }, failed("cordon", "403"), `\`{win} reboot ${NODE}\` tries again.`],
])("%j that fails names the command that tries again", (request, failure, next) => {
  expect(shown(request, failure)).toContain(`*Next:* ${next}`);
});

const unproven = (stage: Failure["stage"], failure: Partial<Failure>, fields: Partial<NodeRecord> = {}) =>
  nodeRecord({
    ...{ status: "failed", workflow: "reboot", nodeName: NODE, failure: { ...failed(stage, "late"), ...failure } },
    ...fields,
  });
const REBOOT: Request = { command: "reboot", node: NODE, dryRun: false };
const ROLLOUT: Request = { command: "reboot", targets: { kind: "pool", pool: "web" }, max: 1, dryRun: false } as never;
const buttonsOf = (node: NodeRecord, request: Request, now = NOW): string[] => {
  const blocks = failureBlocks(node, { operation: operationRecord({ request }), now }, settings, 600);
  return [...JSON.stringify(blocks).matchAll(/"text":\{"type":"plain_text","text":"([^"]*)"/g)].map(
    ([, text = ""]) => text,
  );
};

test.each<[string, NodeRecord, Request, readonly string[]]>([
  [
    "a machine that is not back",
    unproven("reboot", {}),
    REBOOT,
    ["Reboot through EC2…", "Check again", "Keep cordoned"],
  ],
  [
    "a silent agent",
    unproven("prove", { code: "agent-silent" }),
    REBOOT,
    ["Reboot through EC2…", "Check again", "Keep cordoned"],
  ],
  ["an eviction that fails in a rollout", unproven("evict", { isNotRebooted: true }), ROLLOUT, ["Why?"]],
  ["a check that fails", unproven("prove", { code: "check-fails" }), REBOOT, ["Check again", "Why?", "Keep cordoned"]],
  [
    "one in a rollout, which has no other reboot",
    unproven("prove", { code: "check-fails" }),
    ROLLOUT,
    ["Check again", "Why?", "Reboot through EC2…", "Keep cordoned"],
  ],
])("%s has buttons of which no two do the same", (_, node, request, expected) => {
  expect(buttonsOf(node, request).filter((text) => text !== "Open in AWS")).toEqual(expected);
});

test("a failed check is the cause, in its own words and without a guess", () => {
  const why = "gave up waiting for Windows services: kube-proxy is Stopped";
  const text = shown(REBOOT, { ...failed("prove", why), code: "check-fails" }, "reboot");
  expect(text).toContain("Windows services: kube-proxy is Stopped.");
  expect(text).not.toContain("gave up waiting");
  expect(text).not.toContain("Likely cause");
});

test("the log of a service that exits again and again is one line", () => {
  const exit = (minute: number) => `2026-11-21T03:${minute}:00.230Z no endpoint has the source VIP`;
  const why = `kube-proxy is Stopped; its log ends: ${exit(46)} ${exit(47)}`;
  expect(shown(REBOOT, failed("restart", why), "restart")).toContain(
    "kube-proxy is Stopped; its log ends: no endpoint has the source VIP (2 times, last at 03:47 by the machine's clock)",
  );
});

test("a kept machine is not advised to be kept, and has a session where its agent answers", () => {
  const add: Request = { command: "add", pool: "web", count: 1, dryRun: false };
  const kept = (failure: Failure): string => {
    const node = nodeRecord({ status: "failed", instanceId: "i-1", keptAt: NOW, failure });
    const view = { operation: operationRecord({ request: add }), now: NOW };
    return JSON.stringify(failureBlocks(node, view, settings, 600));
  };
  const text = kept({ ...failed("features", "0x800f0922"), code: "feature-not-installed" });
  expect(text).toContain("*Remedy:* read `C:\\\\Windows\\\\Logs\\\\DISM\\\\dism.log` on it.");
  expect(text).toContain("*Next:* look at it with `aws ssm start-session --target i-1`; it runs, and is billed, until");
  expect(kept(failed("agent", "late"))).toContain("*Next:* it runs, and is billed");
  expect(kept({ ...failed("payload", "late"), code: "agent-silent" })).toContain("*Next:* it runs, and is billed");
});

test("a failed reboot links its newest screenshot while the link works", () => {
  const screenshot = { triedAt: NOW, taken: { at: NOW, url: "https://bucket.example/a.jpg" } };
  const node = unproven("reboot", {}, { screenshot });
  expect(buttonsOf(node, REBOOT)).toContain("Screenshot");
  expect(buttonsOf(node, REBOOT, "2026-11-21T15:11:00.000Z")).not.toContain("Screenshot");
});

test("an operation that a button has started stands in place of the buttons", () => {
  const started = { index: 0, operation: "prove-3f9c2a71", by: "U0OPERATOR", at: NOW, domain: "casement" };
  const view = {
    ...{ operation: operationRecord({ request: REBOOT }), now: NOW },
    followUps: [{ ...started, channel: "C0WINDOWS", messageTs: "7.1" }],
  };
  const text = JSON.stringify(failureBlocks(unproven("reboot", {}), view, settings, 600));
  expect(text).toContain(
    "<@U0OPERATOR> started <https://casement.slack.com/archives/C0WINDOWS/p71|prove-3f9c2a71> at ",
  );
  expect(text).not.toContain('Check again"');
  expect(text).toContain("Open in AWS");
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
