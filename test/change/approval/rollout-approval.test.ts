import { expect, test } from "vitest";
import { judgedHash, policyOf } from "../../../lambdas/change/approval/judged.ts";
import { acceptedRollout, isMeant, isRolloutApproved } from "../../../lambdas/change/approval/rollout-approval.ts";
import type { Execution } from "../../../lambdas/change/operation/op.ts";
import type { ApprovalRule } from "../../../lambdas/commands/approvals.ts";
import type { Approval, ApprovalBasis } from "../../../lambdas/records/approval.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { approvalRecord } from "../../messages/approval/approval-record.ts";

const node = { name: "win-1", instanceId: "i-0a", pool: "web" };
const rules = {
  people: { operator: ["U1"], approver: ["U2"] },
  policy: { reboot: ["operator"], approve: ["approver"] },
  pools: {},
} as never;
const rule: ApprovalRule = { needs: 1, roles: ["approver"], minutes: 5, unless: null };
const record: ApprovalBasis = {
  ...{ action: "reboot", options: {}, nodes: [{ uid: "uid-1", bootId: "7", instanceId: "i-0a" }] },
  ...{ losses: [], blockers: null, policy: policyOf(rules, rule, { command: "reboot", pool: "web" }) },
};
const facts = { pods: 3, losses: [], blockers: null, pool: "web" };

interface Scene {
  /** Request that the front door accepted; undefined where it accepted none. */
  readonly request?: object | undefined;
  readonly node?: object | undefined;
  /** Approval in the operation's record; null where there is no record. */
  readonly approval?: Partial<Approval> | null;
  readonly voters?: readonly string[];
}

const rollout = (targets: object) => ({ command: "reboot", targets, dryRun: false });

const executionOf = ({ voters = ["U2"], ...scene }: Scene): Execution => {
  const known = approvalRecord({ record, state: "approved", hash: judgedHash(record), ...scene.approval });
  return {
    start: { operation: "reboot-1", asker: { userId: "U1", userName: "olivia", channel: "C0" } },
    steps: verbs({
      ledger: {
        accepted: async () => scene.request && { request: scene.request },
        operation: async () => (scene.approval === null ? undefined : { approval: known }),
        votes: async (_id: string, { hash }: Approval) =>
          voters.map((userId) => ({ userId, decision: "approve", plan: hash, at: known.until })),
      },
      nodes: { read: async () => scene.node },
      runtime: { rules: async () => rules },
      people: { membership: async () => "member", groupsOf: async () => [] },
    }),
  } as unknown as Execution;
};

test("The accepted request of a rollout is read; there is none of a rule's operation, nor of another command", async () => {
  const request = rollout({ kind: "all" });
  expect(await acceptedRollout(executionOf({ request }))).toEqual(request);
  expect(await acceptedRollout(executionOf({ request: undefined }))).toBeNull();
  expect(await acceptedRollout(executionOf({ request: { command: "nodes", pool: null } }))).toBeNull();
});

test.each<[string, Scene, boolean]>([
  ["every node", { request: rollout({ kind: "all" }) }, true],
  ["its pool", { request: rollout({ kind: "pool", pool: "web" }) }, true],
  ["another pool", { request: rollout({ kind: "pool", pool: "batch" }) }, false],
  ["its name", { request: rollout({ kind: "nodes", nodes: ["win-2", "win-1"] }) }, true],
  [
    "its address",
    {
      request: rollout({ kind: "nodes", nodes: ["10.0.0.20"] }),
      node: { status: { addresses: [{ type: "InternalIP", address: "10.0.0.20" }] } },
    },
    true,
  ],
  ["the address of a Node that is gone", { request: rollout({ kind: "nodes", nodes: ["10.0.0.20"] }) }, false],
  [
    "the address of a Node without status",
    { request: rollout({ kind: "nodes", nodes: ["10.0.0.20"] }), node: {} },
    false,
  ],
  ["other nodes", { request: rollout({ kind: "nodes", nodes: ["win-2"] }) }, false],
  ["nothing, since none was accepted", {}, false],
])("A request that names %s means a node accordingly", async (_what, scene, meant) => {
  expect(await isMeant(executionOf(scene), node)).toBe(meant);
});

test.each<[string, Scene, ApprovalRule, boolean]>([
  ["one by a person who may", {}, rule, true],
  ["none, where none is needed", { approval: null, voters: [] }, { ...rule, needs: 0 }, true],
  ["none", { voters: [] }, rule, false],
  ["the requester's own", { voters: ["U1"] }, rule, false],
  ["fewer than the rule needs now", {}, { ...rule, needs: 2 }, false],
  ["those of a missing record", { approval: null }, rule, false],
  ["those on another list of nodes", { approval: { record: { ...record, nodes: [] } } }, rule, false],
])("The votes on a rollout's plan are counted anew: %s", async (_which, scene, asked, approved) => {
  expect(await isRolloutApproved(executionOf(scene), record, asked, facts)).toBe(approved);
});
