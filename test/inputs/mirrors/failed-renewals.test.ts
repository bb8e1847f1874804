import { expect, test } from "vitest";
import { failedRenewals } from "../../../lambdas/inputs/mirrors/failed-renewals.ts";
import type { Answers } from "../../../lambdas/machine/questions.ts";
import { type RenewalFault, renewalFaultIn } from "../../../lambdas/machine/renewal.ts";
import type { SentInput } from "../../../lambdas/records/machine-record.ts";

const NOW = Date.parse("2026-11-22T12:00:00Z");
const at = (minutesAgo: number): string => new Date(NOW - minutesAgo * 60_000).toISOString();

const RENEWED = "C:\\Casement\\registries\\quay.io.json";
const sent = (path = RENEWED, more: Partial<SentInput> = {}): SentInput => ({
  ...{ sha256: "new", files: [{ path, sha256: "one" }], owner: "x:0", at: at(900) },
  ...more,
});
const failed: RenewalFault = { kind: "failed", why: "ECR does not answer" };

/** A node whose last look, some minutes ago, found a fault. */
const node = (name: string, since: number, seenAgo = 10) => ({
  node: name,
  sent: sent(),
  seen: {
    ...{ instanceId: `i-${name}`, node: name, uid: name, bootId: "7", launchedAt: at(9_000) },
    ...{ reasons: [], dueSince: null, seenAt: at(seenAgo) },
    renewalFault: { ...failed, since: at(since) },
  },
});

test("nodes with a failed renewal are listed with the time since which it fails, the oldest first", () => {
  const { renewalFault: _, ...well } = node("c", 0).seen;
  expect(failedRenewals([node("a", 40), node("b", 70), { ...node("c", 0), seen: well }], NOW)).toEqual([
    { node: "b", ...failed, since: at(70) },
    { node: "a", ...failed, since: at(40) },
  ]);
});

test("a look that is too old, and one at a machine that no longer has a task, name no node", () => {
  const plain = "C:\\k\\containerd\\registries\\quay.io\\hosts.toml";
  expect(failedRenewals([node("a", 300, 120)], NOW)).toEqual([]);
  expect(failedRenewals([{ ...node("a", 40), sent: sent(plain) }], NOW)).toEqual([]);
  expect(failedRenewals([{ ...node("a", 40), sent: undefined }], NOW)).toEqual([]);
  const open = { unconfirmed: { before: null, sent: [] } };
  expect(failedRenewals([{ ...node("a", 40), sent: sent(RENEWED, open) }], NOW)).toEqual([]);
});

type Task = NonNullable<Answers["tasks"]>[number];
const answer = (task: Partial<Task>): Answers => ({
  tasks: [{ name: "Casement registries", enabled: true, lastResult: 0, error: "", ...task }],
});

test.for<readonly [string, Answers, RenewalFault | null | undefined]>([
  ["succeeded", answer({}), null],
  ["failed", answer({ lastResult: 1, error: failed.why }), failed],
  ["failed with a long error", answer({ lastResult: 1, error: "x".repeat(900) }), { ...failed, why: "x".repeat(300) }],
  ["runs", answer({ lastResult: null }), undefined],
  ["is disabled", answer({ enabled: false }), { kind: "disabled", why: "" }],
  ["does not exist", answer({ enabled: null, lastResult: null }), { kind: "missing", why: "" }],
  ["was not asked for", {}, undefined],
])("a task that %s is judged by its answer", ([, answers, fault]) => {
  expect(renewalFaultIn(answers)).toEqual(fault);
});
