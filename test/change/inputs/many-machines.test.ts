import { afterAll, beforeAll, expect, it } from "vitest";
import { updateAuthority } from "../../../lambdas/capabilities/authority/update-authority.ts";
import { sha256 } from "../../../lambdas/cluster/authorities.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import type { Lease } from "../../../lambdas/steps/ledger/leases.ts";
import type { InvocationVerdict } from "../../../lambdas/steps/machine/fleet.ts";
import { run, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { inputVerbs, PEM } from "./published.ts";

beforeAll(setUp);
afterAll(tearDown);

const configuration = configurationWith();

const ids = (count: number): string[] => Array.from({ length: count }, (_, at) => `i-${String(at).padStart(17, "0")}`);

const nodeOn = (instanceId: string) => ({
  metadata: {
    name: `node-of-${instanceId}`,
    uid: instanceId,
    labels: { "kubernetes.io/os": "windows", "casement.dev/pool": "web" },
  },
  spec: { providerID: `aws:///us-west-2a/${instanceId}` },
});

const machineOn = (instanceId: string) => ({
  instanceId,
  privateDnsName: `node-of-${instanceId}`,
  state: "running",
  tags: { "casement:launched": "true", "casement:cluster": configuration.cluster.name },
});

/**
 * Compares the file of so many machines.
 * @param hash of the file that every machine has; by default what the cluster publishes
 */
async function compare(count: number, hash: string = sha256(PEM)) {
  const looks: (readonly string[])[] = [];
  const changes: (readonly string[])[] = [];
  const leased = new Set<string>();
  const left = new Set<string>();
  let operation: Partial<OperationRecord> = {};
  const recorded: string[] = [];
  const sent: string[] = [];
  const { noted, verbs: ofInput } = inputVerbs();
  const verdict = (instanceId: string): InvocationVerdict => ({
    instanceId,
    state: "done",
    result: { ok: true, files: [{ sha256: hash }] },
  });
  const steps = verbs({
    runtime: { read: async () => ({ configuration }) },
    ...ofInput,
    machines: {
      given: {
        all: async () => new Map(),
        of: async () => undefined,
        send: async (id: string) => void sent.push(id),
        record: async (id: string) => void recorded.push(id),
      },
      seen: { all: async () => new Map() },
    },
    nodes: { all: async () => ids(count).map(nodeOn), read: async () => undefined, podsOn: async () => [] },
    instances: { ofCluster: async () => ids(count).map(machineOn), endsOf: async () => new Map() },
    claims: { all: async () => [] },
    machine: {
      agents: async () => new Map(ids(count).map((id) => [id, { online: true }])),
      sent: async () => null,
      requestFor: async (plan: object) => ({ plan }),
    },
    leases: {
      holder: async () => undefined,
      take: async (instanceId: string, owner: string) => {
        leased.add(instanceId);
        return { instanceId, owner, epoch: 1 };
      },
      release: async ({ instanceId }: Lease) => void left.add(instanceId),
    },
    thread: { post: async () => "1.0", update: async () => "1.0" },
    fleet: {
      observe: async (asked: readonly string[]) => {
        looks.push(asked);
        return { state: "sent", commandId: `command-${looks.length}` };
      },
      change: async (leases: readonly Lease[]) => {
        changes.push(leases.map(({ instanceId }) => instanceId));
        return { state: "sent", commandId: `change-${changes.length}` };
      },
      verdicts: async (_script: string, _command: string, asked: readonly string[]) => asked.map(verdict),
    },
    ledger: {
      awaitFleet: async () => undefined,
      requested: async (record: OperationRecord) => void Object.assign(operation, record),
      operation: async () => operation,
      changeOperation: async (_id: string, change: Partial<OperationRecord>) => {
        operation = { ...operation, ...change };
      },
      recordNode: async () => undefined,
      changeNode: async () => undefined,
    },
  });
  const ended = await run((ctx) => updateAuthority(steps)({ tick: "tick-1" }, ctx));
  const operations = ended.events.filter((event) => /^\w+Started /.test(event)).length;
  return { looks, recorded, sent, noted, ended, changes, leased, left, operations, summary: operation.summary };
}

it("looks at 61 machines in two commands, each machine once, and changes nothing where all have the file", {
  tags: ["long"],
}, async () => {
  const { looks, recorded, noted, ended } = await compare(61);
  expect(ended.status).toBe("SUCCEEDED");
  expect(looks.map(({ length }) => length).toSorted()).toEqual([11, 50]);
  expect(looks.flat().toSorted()).toEqual(ids(61));
  expect(recorded.toSorted()).toEqual(ids(61));
  expect(noted).toEqual(["read", "compared"]);
});

it("gives the file to 600 machines with a lease each, one first and then 50 in one command, in few operations", {
  tags: ["long"],
}, async () => {
  const { ended, changes, leased, left, operations, summary } = await compare(600, "of the file before");
  expect(ended.status).toBe("SUCCEEDED");
  expect(summary).toBe("600 nodes updated.");
  expect(changes[0]).toHaveLength(1);
  expect(changes.slice(1).map(({ length }) => length)).toEqual([...Array(11).fill(50), 49]);
  expect(new Set(changes.flat())).toEqual(new Set(ids(600)));
  expect([leased.size, left.size]).toEqual([600, 600]);
  expect(operations).toBeGreaterThan(70);
  expect(operations).toBeLessThan(400);
});
