import { expect, test } from "vitest";
import { policyOf } from "../../../lambdas/change/approval/judged.ts";
import { checkApproved, checkListed } from "../../../lambdas/change/emptying/approved-part.ts";
import { lossMarks } from "../../../lambdas/change/emptying/loss-classes.ts";
import type { Op } from "../../../lambdas/change/operation/op.ts";
import { approvalRule } from "../../../lambdas/commands/approvals.ts";
import type { Request } from "../../../lambdas/commands/request.ts";
import type { MovedPod } from "../../../lambdas/messages/plan/moved-pods.ts";
import type { ApprovalBasis } from "../../../lambdas/records/approval.ts";
import { verbs } from "../../engine/durable-engine.ts";

const chosen = { name: "win-1", uid: "uid-1", bootId: "7", instanceId: "i-0a", pool: "web", isCordoned: false };
const rules = {
  people: { operator: ["U0OPERATOR"] },
  policy: { reboot: ["operator"] },
  pools: {},
} as never;
const lost: MovedPod = { namespace: "shop", name: "debug", owner: null, localData: [] };
const record = (fields: Partial<ApprovalBasis> = {}): ApprovalBasis =>
  ({
    ...{ action: "reboot", options: {}, nodes: [{ uid: "uid-1", bootId: "7", instanceId: "i-0a" }] },
    ...{
      losses: [],
      blockers: [],
      policy: policyOf(rules, approvalRule(rules, "reboot", "web"), { command: "reboot", pool: "web" }),
    },
    ...fields,
  }) as ApprovalBasis;

interface Scene {
  readonly rollout?: object | undefined;
  readonly targets?: object;
  readonly pods?: readonly MovedPod[];
  readonly command?: string;
}

const opOf = ({ targets = { kind: "pool", pool: "web" }, command = "reboot", ...scene }: Scene): Op<Request> =>
  ({
    request: { command, targets, dryRun: false },
    start: { operation: "reboot-1", asker: { userId: "U0OPERATOR", userName: "olivia", channel: "C0" } },
    steps: verbs({
      rollouts: { read: async () => ("rollout" in scene ? scene.rollout : { record: record(), pool: "web" }) },
      runtime: { rules: async () => rules },
      ledger: {
        accepted: async () => ({ request: { command, targets, dryRun: false, canary: false } }),
        operation: async () => undefined,
      },
      nodes: { read: async () => ({ status: { addresses: [{ type: "InternalIP", address: "10.0.0.20" }] } }) },
    }),
  }) as unknown as Op<Request>;

const refusal = (check: Promise<void>): Promise<string | null> =>
  check.then(
    () => null,
    (error: Error) => error.message,
  );
const approved = (scene: Scene = {}) =>
  refusal(checkApproved(opOf(scene), { chosen, pods: scene.pods ?? [], blockers: [] }));
const listed = (rollout: object | undefined, pods: readonly MovedPod[]) =>
  refusal(checkListed(opOf({ rollout }), { chosen, pods }));

test("A node of a rollout must be meant by the request that the front door accepted", async () => {
  const not = "the request of the rollout does not name win-1";
  expect(await approved({ targets: { kind: "pool", pool: "batch" } })).toBe(not);
  expect(await approved({ targets: { kind: "nodes", nodes: ["win-2"] } })).toBe(not);
  expect(await approved({ command: "drain", targets: { kind: "all" } })).toBe(not);
  expect(await approved({ targets: { kind: "nodes", nodes: ["10.0.0.20"] } })).not.toBe(not);
  expect(await approved({ targets: { kind: "all" } })).not.toBe(not);
});

test("Its rollout must be in the ledger", async () => {
  expect(await approved({ rollout: undefined })).toBe("the ledger holds no rollout of reboot-1");
});

test("Its losses must be listed in the rollout's plan where the plan accepts any", async () => {
  const more = "the eviction of win-1 loses what the plan of the rollout does not list: ";
  const forced = { options: { force: true } };
  expect(await listed({ record: record() }, [lost])).toBeNull();
  expect(await listed({ record: record({ ...forced, losses: ["unmanaged pod"] }) }, [lost])).toBeNull();
  expect(await listed({ record: record({ ...forced, losses: [] }) }, [lost])).toBe(`${more}unmanaged pod`);
  expect(await listed({ record: record({ ...forced, lossMarks: lossMarks([lost]) }) }, [lost])).toBeNull();
  expect(await listed({ record: record({ ...forced, lossMarks: [] }) }, [lost])).toBe(
    `${more}shop/debug is not recreated`,
  );
});

test("Enough people must approve of it, and it must be no worse than what they approved", async () => {
  const needs = approvalRule(rules, "reboot", "web").needs;
  expect(needs).toBeGreaterThan(0);
  expect(await approved()).toBe(
    "too few people who may approve now have approved the rollout's plan; a reboot of win-1 alone asks again",
  );
});
