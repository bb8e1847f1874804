import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeAgain, planAgain } from "../../../lambdas/capabilities/remove/approval.ts";
import { choose } from "../../../lambdas/capabilities/remove/choose.ts";
import type { Clearance } from "../../../lambdas/change/change.ts";
import type { MovedPod } from "../../../lambdas/messages/plan/moved-pods.ts";
import { machine } from "../../change/a-task.ts";
import { run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { operationRecord, settings } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const NAME = machine.privateDnsName;
const { asker } = operationRecord();
const start = {
  operation: "remove-1",
  request: { command: "remove", node: NAME, dryRun: false },
  asker,
  notAfter: 0,
} as const;
const configuration = {
  ...configurationWith(),
  people: { operator: [asker.userId] },
  policy: { remove: ["operator"] },
};

/** The node under test as its cluster shows it. */
interface Found {
  uid: string;
  /** EC2 protects its instance from termination. */
  isProtected: boolean;
  pods: readonly MovedPod[];
  /** Losses that the dialog has listed, as the ledger keeps them. */
  dialogLosses?: readonly string[];
}

/** The verbs by which a node is judged. */
const judging = (found: Found) =>
  verbs({
    runtime: { read: async () => ({ version: "7", configuration }), rules: async () => configuration },
    people: { membership: async () => "member", groupsOf: async () => [] },
    nodes: {
      all: async () => [
        {
          metadata: { name: NAME, uid: found.uid, labels: { "kubernetes.io/os": "windows" } },
          spec: { providerID: `aws:///us-west-2a/${machine.instanceId}` },
        },
      ],
      pods: async () => [],
    },
    plan: { outlook: async () => ({ pods: found.pods, blockers: [], longJobs: [] }) },
    claims: { all: async () => [] },
    stops: { over: async () => null },
    instances: {
      describe: async () => ({ ...machine, tags: { "casement:launched": "true", "casement:cluster": "prod-west" } }),
      isProtected: async () => found.isProtected,
    },
    ledger: {
      decisions: async () => [],
      changeOperation: async () => undefined,
      operation: async () => (found.dialogLosses === undefined ? undefined : { dialogLosses: found.dialogLosses }),
    },
    leases: { holder: async () => undefined },
  });

/** A pod that its owner creates elsewhere, with local data or without. */
const pod = (...localData: string[]): MovedPod => ({
  namespace: "shop",
  name: "web-0",
  owner: "ReplicaSet web",
  localData,
});

type Judge = typeof planAgain | typeof judgeAgain;

/** Facts of a removal that nobody has approved, or whose approvers have accepted these losses. */
const clearance = (losses: readonly string[] | null): Pick<Clearance, "approved" | "approvedBy"> => ({
  approved: { action: "remove", options: {}, nodes: [], losses: losses ?? ["emptyDir"], blockers: [], policy: {} },
  approvedBy: losses ? ["U0APPROVER"] : [],
});

/** Judges the node before the question, lets time change it, and goes on. @param accepted by approvers; null without them */
async function changed(change: Partial<Found>, judge: Judge = planAgain, accepted: readonly string[] | null = null) {
  const found: Found = { uid: "uid-1", isProtected: false, pods: [pod()] };
  const steps = judging(found);
  const ended = await run(async (ctx) => {
    const op = { ctx, steps, start, request: start.request, settings: { runtimeVersion: "7", ...settings } };
    const asked = await choose(op, NAME);
    expect(asked.refusal).toBeNull();
    Object.assign(found, change);
    return judge(op, asked, clearance(accepted));
  });
  return ended.error?.message ?? ended.result;
}

describe("After the yes to a removal", () => {
  it("the node that was shown is removed when nothing has changed", async () => {
    expect(await changed({})).toMatchObject({ name: NAME, uid: "uid-1" });
  });

  it.each([
    [
      "a pod with local data came",
      { pods: [pod(), pod("emptyDir scratch")] },
      "since its plan was approved (emptyDir is lost too",
    ],
    ["somebody protected the instance", { isProtected: true }, "termination protection"],
    ["the Node was made again", { uid: "uid-2" }, "deleted and recreated"],
  ])("it is refused when meanwhile %s", async (_, change, why) => {
    expect(await changed(change)).toContain(why);
  });

  it("it loses what its dialog has listed, though a wait for its window has judged it since", async () => {
    const pods = [pod("emptyDir scratch")];
    expect(await changed({ pods, dialogLosses: ["emptyDir"] })).toMatchObject({ name: NAME });
    expect(await changed({ pods, dialogLosses: [] })).toContain("emptyDir is lost too");
  });

  it("it loses what its approvers have accepted, whatever the dialog has shown", async () => {
    const pods = [pod("emptyDir scratch")];
    expect(await changed({ pods }, planAgain, ["emptyDir"])).toMatchObject({ name: NAME });
    expect(await changed({ pods }, planAgain, ["hostPath"])).toContain("emptyDir is lost too");
  });
});

describe("After its wait for a slot a removal", () => {
  it("goes on with other pods that lose nothing", async () => {
    expect(await changed({ pods: [pod(), pod()] }, judgeAgain)).toBeUndefined();
  });

  it("ends before its cordon when a pod with local data came", async () => {
    expect(await changed({ pods: [pod("emptyDir scratch")] }, judgeAgain)).toContain("emptyDir is lost too");
  });
});
