import {
  type NodeRecord,
  newNodeRecord,
  type OperationRecord,
  type OperationView,
} from "../../lambdas/records/records.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import type { ShownOperation } from "../../lib/sandbox/page/snapshot.ts";

const minutes = (count: number): string => new Date(Date.parse("2026-11-20T14:00:00Z") + count * 60_000).toISOString();

/** Time of the sample state. */
export const NOW = minutes(12);

const record: OperationRecord = {
  id: "add-3f9c2a71",
  cluster: demo.cluster.name,
  request: { command: "add", pool: "web", count: 3, dryRun: false },
  asker: { userId: "U0OPERATOR", userName: "olivia", channel: demo.slack.channelId },
  status: "running",
  requestedAt: minutes(3),
  endedAt: null,
  executionArn: null,
  channel: demo.slack.channelId,
  messageTs: null,
  summary: "",
  cancelledBy: null,
  callbacks: {},
};

const node = (index: number, more: Partial<NodeRecord>): NodeRecord => ({
  ...newNodeRecord("provision", record.id, index, minutes(3)),
  status: "running",
  stage: "features",
  stageSince: minutes(8),
  instanceId: `i-0a1b2c3d4e5f6071${index}`,
  ...more,
});

/** Three nodes on their way, the last of them failed and undecided. */
export const addition = (): OperationView => ({
  operation: record,
  pool: { name: "web", before: 2, after: 5, maximum: 8 },
  now: NOW,
  nodes: [
    node(0, { status: "succeeded", stage: "admit", nodeName: "ip-10-0-0-21", endedAt: minutes(11) }),
    node(1, { waitsFor: "the reboot" }),
    node(2, {
      status: "deciding",
      stage: "payload",
      failure: {
        stage: "payload",
        why: "Get-FileHash : sha256 of kubelet.exe is 9f86d081…, expected 2c26b46b…\nAt C:\\casement\\apply.ps1:212",
        left: "instance i-0a1b2c3d4e5f60712 is running, nothing was started on it",
      },
      decideBy: minutes(72),
    }),
  ],
});

const instance = (id: string, state: string, pool: string, minute: number): Record<string, unknown> => ({
  InstanceId: id,
  State: { Name: state },
  InstanceType: "m6i.xlarge",
  ...(pool === "control-plane" ? {} : { Platform: "Windows" }),
  Placement: { AvailabilityZone: "us-west-2a" },
  LaunchTime: minutes(minute),
  Tags: [{ Key: "casement:pool", Value: pool }],
});

/** Instances as EC2 shapes them. */
export const instances = [
  instance("i-0a1b2c3d4e5f60710", "running", "web", 3),
  instance("i-0a1b2c3d4e5f60711", "pending", "web", 4),
  instance("i-0ffffffffffffff01", "running", "control-plane", -9_000),
  instance("i-0ffffffffffffff02", "terminated", "web", -600),
];

const disk = (instanceId: string, ...files: readonly (readonly [folder: string, sha256: string])[]) => ({
  instanceId,
  bootId: "1",
  power: "running" as const,
  files: files.map(([folder, sha256]) => ({
    path: `C:\\k\\containerd\\registries\\${folder}\\hosts.toml`,
    sha256,
    size: 200,
  })),
  ...{ services: [], routes: [], tasks: [], certificates: [], features: [] },
});

/** Machines with registries' files on their disks; one of them is gone. */
export const machines = [
  disk("i-0a1b2c3d4e5f60710", ["quay.io", "9f86d081884c"], ["mirror.example.com_5000_", "60303ae22b99"]),
  disk("i-0a1b2c3d4e5f60711", ["quay.io", "2c26b46b68ff"]),
  disk("i-0ffffffffffffff02", ["quay.io", "9f86d081884c"]),
];

/** Agents on their machines, as SSM knows them. */
export const agents = [
  { instanceId: "i-0a1b2c3d4e5f60710", pingStatus: "Online" },
  { instanceId: "i-0ffffffffffffff02", pingStatus: "ConnectionLost" },
];

const clusterNode = (name: string, os: string, ready: string, instanceId: string, unschedulable = false) => ({
  metadata: { name, creationTimestamp: minutes(-500), labels: { "kubernetes.io/os": os } },
  spec: {
    unschedulable,
    providerID: `aws:///us-west-2a/${instanceId}`,
    taints: os === "windows" ? [{ key: "os", value: "Windows", effect: "NoSchedule" }] : [],
  },
  status: { conditions: [{ type: "Ready", status: ready }], nodeInfo: { kubeletVersion: "v1.34.2" } },
});

/** Nodes as the API server shapes them. */
export const nodes = [
  clusterNode("ip-10-0-0-5.us-west-2.compute.internal", "linux", "True", "i-0ffffffffffffff01"),
  clusterNode("ip-10-0-0-21.us-west-2.compute.internal", "windows", "True", "i-0a1b2c3d4e5f60710"),
  clusterNode("ip-10-0-0-22.us-west-2.compute.internal", "windows", "False", "i-0a1b2c3d4e5f60711", true),
];

/** Operations as the control API shapes them. */
export const operations = [
  {
    id: "add-3f9c2a71",
    command: "add web 3",
    user: "U0OPERATOR",
    status: "running" as const,
    nodes: [
      { name: "ip-10-0-0-21", stage: "admit" },
      { name: "i-0a1b2c3d4e5f60711", stage: "features" },
    ],
  },
];

/** Operations as the page's reader has them. */
export const shownOperations: readonly ShownOperation[] = [
  {
    id: "add-3f9c2a71",
    title: "Add 3 nodes to web",
    user: "U0OPERATOR",
    status: "running",
    nodes: [
      { name: "ip-10-0-0-21", stage: "admit", status: "succeeded" },
      { name: "i-0a1b2c3d4e5f60711", stage: "features", status: "running" },
      { name: "i-0a1b2c3d4e5f60712", stage: "payload", status: "deciding" },
    ],
  },
];
