import { expect, test } from "vitest";
import { judgeAssist, judgeEnd } from "../../../lambdas/capabilities/assist/judge.ts";
import type { Op } from "../../../lambdas/change/operation/op.ts";
import { UserError } from "../../../lambdas/errors.ts";
import type { Assistance } from "../../../lambdas/machine/assistance.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const configuration = configurationWith();
const ID = "i-0ab12cd34ef567890";
const LAUNCHED = "2026-11-21T08:00:00.000Z";
const owner = { kind: "auto-scaling-group", owner: "windows" } as const;
const OF_GROUP = { "aws:autoscaling:groupName": "windows", "kubernetes.io/cluster/prod-west-x7k2p": "owned" };

const record = (changes: Partial<Assistance> = {}): Assistance => ({
  ...{ instanceId: ID, launchedAt: LAUNCHED, owner, node: "win-1", state: "assisted", operation: "assist-1" },
  ...{ askedBy: "U0OLIVIA", approvedBy: [], at: LAUNCHED },
  ...changes,
});

/** A node of an Auto Scaling group, of which a test changes what it cares for. */
interface Scene {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: object;
  readonly twin?: boolean;
  readonly machine?: object | null;
  readonly tags?: Readonly<Record<string, string>>;
  readonly records?: readonly Assistance[];
  readonly agent?: object;
  readonly holder?: string;
  readonly policies?: boolean;
}

function world(scene: Scene) {
  const node = {
    metadata: { name: "win-1", uid: "uid-1", labels: { "kubernetes.io/os": "windows", ...scene.labels } },
    spec: { providerID: `aws:///us-west-2a/${ID}`, ...scene.spec },
    status: { nodeInfo: { bootID: "7" } },
  };
  const machine = {
    ...{
      instanceId: ID,
      state: "running",
      privateIp: "10.0.0.1",
      privateDnsName: "win-1.internal",
      zone: "us-west-2a",
    },
    ...{ launchedAt: LAUNCHED, tags: scene.tags ?? OF_GROUP, isWindows: true, hasProfile: true },
    ...scene.machine,
  };
  const records = scene.records ?? [];
  const rules = {
    people: { operator: ["U0OTHER"] },
    policy: { assist: ["operator"] },
    pools: scene.policies ? { web: { policy: {} } } : {},
  };
  const traces = {
    machineFacts: null,
    healthChecks: [],
    associations: [],
    patches: null,
    groupMember: null,
    unread: ["the patches"],
  };
  const { steps, calls } = recorded(
    {
      runtime: { read: answers({ configuration }), rules: answers(rules) },
      nodes: {
        all: answers([node, ...(scene.twin ? [{ ...node, metadata: { ...node.metadata, name: "win-2" } }] : [])]),
      },
      instances: { describe: answers(scene.machine === null ? undefined : machine) },
      claims: { all: answers([]) },
      leases: { holder: answers(scene.holder) },
      health: { agent: answers({ registered: true, online: true, ...scene.agent }) },
      traces: { of: answers(traces) },
      people: { membership: answers("member"), groupsOf: answers([]) },
      machines: {
        assistance: {
          all: answers(records),
          of: async (id: string) => records.find(({ instanceId }) => instanceId === id),
        },
        seen: { marks: answers([]) },
      },
    },
    { ledger: { changeOperation: answers() } },
  );
  const start = {
    operation: "assist-2",
    request: { command: "assist", node: "win-1", end: false, dryRun: false },
    asker: { userId: "U0OLIVIA", userName: "olivia", channel: "C0" },
  };
  return { op: { steps, start, settings: { runtimeVersion: "1" } } as unknown as Op, calls };
}

const words = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : ""),
  );
const chosen = { name: "win-1", uid: "uid-1", instanceId: ID, pool: null, bootId: "7", isCordoned: false };
const stored = ["ledger.changeOperation", "assist-2", { inPool: null, nodeName: "win-1" }];

test("a machine of another owner that an agent reaches may be assisted, with the plan of its card", async () => {
  const { op, calls } = world({});
  expect(await judgeAssist(op, "win-1")).toEqual({
    ...{ chosen, machine: expect.objectContaining({ instanceId: ID }), owner },
    plan: {
      ...{ node: "win-1", instanceId: ID, machineName: "win-1.internal", owner, before: "none" },
      ...{
        others: [{ kind: "owner", owner }, expect.objectContaining({ kind: "group-check" })],
        unread: ["the patches"],
      },
    },
  });
  expect(calls).toEqual([stored]);
});

const machineTags = (tags: Readonly<Record<string, string>>) => ({ tags: { ...OF_GROUP, ...tags } });

test.for<[string, Scene, string]>([
  ["runs Linux", { labels: { "kubernetes.io/os": "linux" } }, "it is a Linux node"],
  ["runs an image of Linux", { machine: { isWindows: false } }, "it is a Linux node"],
  ["has no instance", { machine: null }, "it has no EC2 instance"],
  ["names no instance", { spec: { providerID: undefined } }, "it has no EC2 instance"],
  ["has the label of the control plane", { labels: { "node-role.kubernetes.io/control-plane": "" } }, "control plane"],
  ["has kOps' tag of a master", machineTags({ "kubernetes.io/role/master": "1" }), "control plane"],
  ["has kOps' older tag of a master", machineTags({ "k8s.io/role/master": "1" }), "control plane"],
  ["has kOps' tag of the control plane", machineTags({ "k8s.io/role/control-plane": "1" }), "control plane"],
  [
    "has Cluster API's tag of the control plane",
    machineTags({ "sigs.k8s.io/cluster-api-provider-aws/role": "control-plane" }),
    "control plane",
  ],
  ["has OKD's name of a master", machineTags({ Name: "prod-west-x7k2p-master-0" }), "control plane"],
  ["has OKD's name of the bootstrap machine", machineTags({ Name: "prod-west-x7k2p-bootstrap" }), "control plane"],
  [
    "was launched by Casement",
    { tags: { "casement:launched": "true", "casement:cluster": "prod-west" } },
    "Casement launched it, so that",
  ],
  [
    "was launched by Casement and belongs to a group",
    machineTags({ "casement:launched": "true" }),
    "Casement launched it, and",
  ],
  ["belongs to nobody", { tags: {} }, "and Casement did not launch it"],
  ["is not of the cluster", { tags: { "aws:autoscaling:groupName": "windows" } }, `lacks the cluster's tag`],
  ["is held by an operation", { holder: "reboot-1" }, "`reboot-1` is working on it"],
  ["shares its instance with another Node", { twin: true }, "win-2"],
  [
    "is assisted",
    { ...machineTags({ "casement:managed": "prod-west" }), records: [record()] },
    "assisted already, by `assist-1`",
  ],
  ["has a silent agent", { agent: { online: false } }, "its SSM agent does not answer"],
  ["has no agent", { agent: { registered: false } }, "no SSM agent has registered"],
  ["has no profile", { agent: { registered: false }, machine: { hasProfile: false } }, "no instance profile"],
])("a node that %s cannot be assisted", async ([, scene, why]) => {
  const { op, calls } = world(scene);
  const said = await words(judgeAssist(op, "win-1"));
  expect(said).toMatch(/^Refused: `win-1` cannot be assisted: /);
  expect(said).toContain(why);
  expect(calls).toEqual([stored]);
});

test.for<[string, Scene, string]>([
  ["a worker's name", machineTags({ Name: "prod-west-x7k2p-master-worker" }), "none"],
  ["another role of Cluster API", machineTags({ "sigs.k8s.io/cluster-api-provider-aws/role": "node" }), "none"],
  ["a shared tag of the cluster", { tags: { ...OF_GROUP, "kubernetes.io/cluster/prod-west-x7k2p": "shared" } }, "none"],
  ["its own lease", { holder: "assist-2" }, "none"],
  ["a tag that nobody approved", machineTags({ "casement:managed": "prod-west" }), "tag-of-others"],
  ["an approval without its tag", { records: [record()] }, "tag-gone"],
  [
    "an approval before its last start",
    { records: [record({ launchedAt: "2026-11-20T08:00:00.000Z" })] },
    "started-anew",
  ],
  ["the beginning of its own operation", { records: [record({ state: "beginning", operation: "assist-2" })] }, "none"],
  ["the beginning of another operation", { records: [record({ state: "beginning" })] }, "unfinished"],
])("a machine with %s may be assisted", async ([, scene, before]) => {
  expect((await judgeAssist(world(scene).op, "win-1")).plan.before).toBe(before);
});

test("a requester whom no rule of the cluster allows is refused where pools have rules of their own", async () => {
  expect(await words(judgeAssist(world({ policies: true }).op, "win-1"))).toMatch(/^Forbidden: /);
  const records = [record()];
  expect(await words(judgeEnd(world({ policies: true, records }).op, "win-1"))).toMatch(/^Forbidden: /);
});

test("an assistance ends by its record, or by the machine's tag alone", async () => {
  const byRecord = world({ records: [record()], spec: { providerID: `aws:///us-west-2a/${ID}`, unschedulable: true } });
  expect(await judgeEnd(byRecord.op, "win-1")).toEqual({ chosen: { ...chosen, isCordoned: true }, record: record() });
  expect(byRecord.calls).toEqual([stored]);
  expect(await judgeEnd(world(machineTags({ "casement:managed": "prod-west" })).op, "win-1")).toEqual({
    chosen,
    record: null,
  });
});

test.for<[string, Scene]>([
  ["without record and tag", {}],
  ["with another cluster's tag", machineTags({ "casement:managed": "prod-east" })],
  ["without an instance id", { spec: { providerID: undefined }, records: [record()] }],
])("an assistance of a machine %s cannot end", async ([, scene]) => {
  await expect(judgeEnd(world(scene).op, "win-1")).rejects.toBeInstanceOf(UserError);
});

test.for<[string, Scene, string]>([
  ["another Node names its instance", { twin: true, records: [record()] }, "win-2"],
  ["another name was approved", { records: [record({ node: "win-9" })] }, "win-9"],
  ["an operation holds it", { records: [record()], holder: "reboot-1" }, "`reboot-1` is working on it"],
])("an assistance cannot end where %s", async ([, scene, why]) => {
  const said = await words(judgeEnd(world(scene).op, "win-1"));
  expect(said).toMatch(/^Refused: The assistance of `win-1` cannot end: /);
  expect(said).toContain(why);
});

test("an assistance of an earlier release ends although its record names no Node, and one whose instance is gone too", async () => {
  const { node: _, ...unnamed } = record();
  expect(await judgeEnd(world({ records: [unnamed] }).op, "win-1")).toMatchObject({ record: unnamed });
  expect(await judgeEnd(world({ records: [record()], machine: null }).op, "win-1")).toMatchObject({ chosen });
});
