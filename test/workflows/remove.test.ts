import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Chosen, choose } from "../../lambdas/workflows/remove/choose.ts";
import { takeLease } from "../../lambdas/workflows/remove/start.ts";
import { operationRecord, settings } from "../messages/records.ts";
import { configurationWith } from "../profiles/okd/facts.ts";
import { machine } from "./a-task.ts";
import { run, setUp, tearDown, verbs } from "./durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const NAME = machine.privateDnsName;
const begun = { runtimeVersion: "7", ...settings };
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

/** The verbs by which a node is judged; what was begun with it is kept in `taken`. */
const judging = (found: Found, taken: string[]) =>
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
    claims: { all: async () => [] },
    stops: { over: async () => null },
    instances: {
      describe: async () => ({ ...machine, tags: { "casement:launched": "true", "casement:cluster": "prod-west" } }),
      isProtected: async () => found.isProtected,
    },
    ledger: { decisions: async () => [] },
    leases: {
      holder: async () => undefined,
      take: async (_id: string, owner: string) => {
        taken.push(owner);
        throw new Error("the journeys tell the rest");
      },
    },
  });

/** Judges the node before the question, lets time change it, and goes on after the yes. */
async function answeredYes(change: Partial<Found>) {
  const found = { uid: "uid-1", isProtected: false };
  const taken: string[] = [];
  const steps = judging(found, taken);
  const asked: Chosen = await choose(steps, start, begun, NAME);
  expect(asked.refusal).toBeNull();
  Object.assign(found, change);
  const ended = await run(() => takeLease(steps, start, begun, asked));
  return { why: ended.error.message, taken };
}

describe("After the yes to a removal", () => {
  it("the lease is taken when nothing has changed", async () => {
    expect((await answeredYes({})).taken).toEqual(["remove-1:0"]);
  });

  it.each([
    ["somebody protected the instance", { isProtected: true }, "termination protection"],
    ["the Node was made again", { uid: "uid-2" }, "deleted and recreated"],
  ])("nothing is taken when meanwhile %s", async (_, change, why) => {
    expect(await answeredYes(change)).toEqual({ why: expect.stringContaining(why), taken: [] });
  });
});
