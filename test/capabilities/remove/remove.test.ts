import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { planAgain } from "../../../lambdas/capabilities/remove/approval.ts";
import { choose } from "../../../lambdas/capabilities/remove/choose.ts";
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

/** The node under test as its cluster shows it: its uid and whether EC2 protects its instance may change. */
interface Found {
  uid: string;
  isProtected: boolean;
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
    plan: { outlook: async () => ({ pods: [], blockers: [], longJobs: [] }) },
    claims: { all: async () => [] },
    stops: { over: async () => null },
    instances: {
      describe: async () => ({ ...machine, tags: { "casement:launched": "true", "casement:cluster": "prod-west" } }),
      isProtected: async () => found.isProtected,
    },
    ledger: { decisions: async () => [] },
    leases: { holder: async () => undefined },
  });

/** Judges the node before the question, lets time change it, and goes on after the yes. */
async function answeredYes(change: Partial<Found>) {
  const found = { uid: "uid-1", isProtected: false };
  const steps = judging(found);
  const ended = await run(async (ctx) => {
    const op = { ctx, steps, start, request: start.request, settings: { runtimeVersion: "7", ...settings } };
    const asked = await choose(op, NAME);
    expect(asked.refusal).toBeNull();
    Object.assign(found, change);
    return planAgain(op, asked);
  });
  return ended.error?.message ?? ended.result;
}

describe("After the yes to a removal", () => {
  it("the node that was shown is removed when nothing has changed", async () => {
    expect(await answeredYes({})).toMatchObject({ name: NAME, uid: "uid-1" });
  });

  it.each([
    ["somebody protected the instance", { isProtected: true }, "termination protection"],
    ["the Node was made again", { uid: "uid-2" }, "deleted and recreated"],
  ])("it is refused when meanwhile %s", async (_, change, why) => {
    expect(await answeredYes(change)).toContain(why);
  });
});
