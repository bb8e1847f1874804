import { expect, test } from "vitest";
import { leftOutNodes } from "../../../lambdas/capabilities/reconcile/left-out.ts";
import type { Node } from "../../../lambdas/steps/cluster/nodes.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const configuration = configurationWith();
const { id, name: cluster } = configuration.cluster;
const idOf = (at: number): string => `i-${String(at).padStart(17, "0")}`;
const nameOf = (at: number): string => `ip-10-0-0-${at}.us-west-2.compute.internal`;

const nodeAt = (at: number, labels: object = { "casement.dev/pool": "web" }): Node =>
  ({
    metadata: { name: nameOf(at), uid: `uid-${at}`, labels: { "kubernetes.io/os": "windows", ...labels } },
    spec: { providerID: `aws:///us-west-2a/${idOf(at)}` },
  }) as unknown as Node;

const machineAt = (at: number, changes: object = {}) => ({
  ...{
    instanceId: idOf(at),
    state: "running",
    privateIp: `10.0.0.${at}`,
    privateDnsName: nameOf(at),
    zone: "us-west-2a",
  },
  ...{ launchedAt: "2026-11-21T08:00:00.000Z" },
  tags: { "casement:launched": "true", "casement:cluster": cluster, "casement:pool": "web" },
  ...changes,
});

/** A cluster with one node, of which a test changes what it cares for. */
interface Given {
  readonly node?: Node;
  readonly machine?: object | null;
  readonly online?: boolean | null;
  readonly proxiedBy?: object;
  readonly stops?: readonly object[];
  readonly frozen?: readonly object[];
  readonly holder?: string;
}

async function reasonOf({ node = nodeAt(1), machine = machineAt(1), online = true, ...given }: Given) {
  const asked: string[] = [];
  const seen = new Map(given.proxiedBy ? [[idOf(1), { proxiedBy: given.proxiedBy }]] : []);
  const { steps } = recorded(
    {
      instances: { ofCluster: async (of: string) => (of === id && machine ? [machine] : []) },
      claims: { all: answers([]) },
      machine: { agents: answers(new Map(online === null ? [] : [[idOf(1), { online }]])) },
      stops: { all: answers(given.stops ?? []), ofNamespace: answers(given.frozen ?? []) },
      machines: { seen: { all: answers(seen) } },
      leases: {
        holder: async (instance: string) => {
          asked.push(instance);
          return given.holder;
        },
      },
    },
    {},
  );
  const [only] = await leftOutNodes(steps, configuration, [node, nodeAt(2)], [node]);
  return { ...only, asked };
}

const freeze = {
  kind: "freeze",
  target: { kind: "pool", pool: "web" },
  by: "Olivia",
  reason: "night",
  until: null,
  at: "2026-11-21T08:00:00.000Z",
};

test.for<[string, Given, object]>([
  ["is up to date", {}, { kind: "up-to-date" }],
  ["is held by an operation", { holder: "reboot-1:0" }, { kind: "held", operation: "reboot-1:0" }],
  ["has no instance", { machine: null }, { kind: "not-managed" }],
  ["was not provisioned by Casement", { node: nodeAt(1, {}) }, { kind: "not-managed" }],
  ["runs on a machine that somebody else launched", { machine: machineAt(1, { tags: {} }) }, { kind: "not-managed" }],
  ["is stopped", { machine: machineAt(1, { state: "stopped" }) }, { kind: "not-running", state: "stopped" }],
  ["has an agent that is silent", { online: false }, { kind: "silent" }],
  ["has no agent", { online: null }, { kind: "silent" }],
  ["does not reach AWS", { proxiedBy: { proxy: "http://proxy" } }, { kind: "proxied", by: { proxy: "http://proxy" } }],
  ["is frozen with its pool", { stops: [freeze] }, { kind: "stopped", stop: freeze }],
  ["is frozen by an annotation", { frozen: [freeze] }, { kind: "stopped", stop: freeze }],
  [
    "is in a pool that is not the frozen one",
    { stops: [{ ...freeze, target: { kind: "pool", pool: "batch" } }] },
    { kind: "up-to-date" },
  ],
  ["is frozen and held", { stops: [freeze], holder: "reboot-1:0" }, { kind: "stopped", stop: freeze }],
  ["is silent and frozen", { online: false, stops: [freeze] }, { kind: "silent" }],
])("A node that %s is left out for that reason", async ([, given, reason]) => {
  expect(await reasonOf(given)).toMatchObject({ name: nameOf(1), reason });
});

test("the ledger is asked for the holder of a node that nothing else keeps", async () => {
  expect((await reasonOf({})).asked).toEqual([idOf(1)]);
  expect((await reasonOf({ stops: [freeze] })).asked).toEqual([]);
});
