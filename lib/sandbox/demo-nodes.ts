import { TAG } from "../../lambdas/tags.ts";
import type { InstanceSeed } from "./aws/ec2/seed.ts";
import type { InstanceFacts } from "./core/ports.ts";
import { demo } from "./demo.ts";
import { type KubeObject, timestamp } from "./kubernetes/model/object.ts";

/** A Windows node that the demo cluster starts with. */
export interface SeedNode extends Omit<InstanceSeed, "system"> {
  readonly pool: string;
  /** The Machine of OKD's Machine API that owns it. */
  readonly machine?: KubeObject;
}

const subnetOf = (privateIp: string): string =>
  demo.subnets.find(({ cidr }) => privateIp.startsWith(cidr.replace(/0\/24$/, "")))?.id ?? demo.subnets[0].id;

const owned = { [`kubernetes.io/cluster/${demo.cluster.id}`]: "owned" };

/** Launch time of the seed nodes: long before the sandbox starts. */
const LAUNCHED = Date.UTC(2026, 9, 1);

const launchedByUs = (pool: string) => ({
  ...owned,
  Name: `${demo.cluster.name}-${pool}`,
  [TAG.cluster]: demo.cluster.name,
  [TAG.pool]: pool,
  [TAG.operation]: "add-0000000a",
  [TAG.launched]: "true",
});

const windows = (instanceId: string, privateIp: string, pool: string, more: Partial<SeedNode> = {}): SeedNode => ({
  instanceId,
  privateIp,
  pool,
  instanceType: "m6i.xlarge",
  subnetId: subnetOf(privateIp),
  groups: [demo.securityGroups.windowsNodes],
  profileArn: demo.instanceProfileArn,
  launchedAt: LAUNCHED,
  tags: launchedByUs(pool),
  ...more,
});

const MACHINE_SET_INSTANCE = "i-0d4e9a1b2c3d4e5f6";

/** Two ordinary nodes, one that is protected, one that a MachineSet owns: enough to try every command on. */
export const windowsNodes: readonly SeedNode[] = [
  windows("i-0a1b2c3d4e5f60718", "10.0.3.7", "web"),
  windows("i-0b2c3d4e5f6071829", "10.0.0.31", "web"),
  windows("i-0c3d4e5f607182930", "10.0.1.41", "batch", { protected: true }),
  windows(MACHINE_SET_INSTANCE, "10.0.1.52", "edge", {
    tags: { ...owned, Name: "prod-west-winworker-us-west-2b" },
    machine: {
      apiVersion: "machine.openshift.io/v1beta1",
      kind: "Machine",
      metadata: {
        name: "winworker-us-west-2b-x9v4c",
        namespace: "openshift-machine-api",
        labels: {
          "machine.openshift.io/os-id": "Windows",
          "machine.openshift.io/cluster-api-machineset": "winworker-us-west-2b",
        },
      },
      spec: { providerID: `aws:///us-west-2b/${MACHINE_SET_INSTANCE}` },
    } as unknown as KubeObject,
  }),
];

/** Last number of the first address that a subnet gives to one of more nodes. */
const FIRST_HOST = 100;

/**
 * Lists the Windows nodes of a demo cluster.
 * @param count at least four: the others are ordinary nodes of the pool web, in all subnets alike
 */
export const windowsNodesOf = (count: number): readonly SeedNode[] => [
  ...windowsNodes,
  ...Array.from({ length: count - windowsNodes.length }, (_, index) => {
    const { cidr } = demo.subnets[index % demo.subnets.length] ?? demo.subnets[0];
    const host = FIRST_HOST + Math.floor(index / demo.subnets.length);
    const number = (index + 1).toString(16).padStart(4, "0");
    return windows(`i-0e5f607182930${number}`, cidr.replace(/0\/24$/, String(host)), "web");
  }),
];

const linux = (instanceId: string, privateIp: string, role: string) => ({
  instance: {
    instanceId,
    privateIp,
    system: "linux" as const,
    instanceType: "m6i.xlarge",
    subnetId: subnetOf(privateIp),
    groups: [role === "worker" ? demo.securityGroups.linuxNodes : demo.securityGroups.controlPlane],
    profileArn: null,
    launchedAt: LAUNCHED,
    tags: { ...owned, Name: `${demo.cluster.id}-${role}` },
  },
  node: (facts: InstanceFacts, since: number): KubeObject => linuxNode(facts, role, since),
});

const CONTROL_PLANE_TAINT = { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" };

const linuxNode = (facts: InstanceFacts, role: string, since: number): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: facts.privateDnsName,
      labels: {
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": facts.privateDnsName,
        [`node-role.kubernetes.io/${role}`]: "",
        "node.kubernetes.io/instance-type": facts.instanceType,
        "topology.kubernetes.io/region": demo.region,
        "topology.kubernetes.io/zone": facts.zone,
      },
    },
    spec: {
      providerID: `aws:///${facts.zone}/${facts.instanceId}`,
      ...(role === "worker" ? {} : { taints: [CONTROL_PLANE_TAINT] }),
    },
    status: {
      addresses: [
        { type: "InternalIP", address: facts.privateIp },
        { type: "Hostname", address: facts.privateDnsName },
      ],
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "KubeletReady",
          message: "kubelet is posting ready status",
          lastHeartbeatTime: timestamp(since),
          lastTransitionTime: timestamp(since),
        },
      ],
      nodeInfo: {
        kubeletVersion: `v${demo.cluster.version}`,
        osImage: "Red Hat Enterprise Linux CoreOS 9.6",
        operatingSystem: "linux",
        architecture: "amd64",
        containerRuntimeVersion: "cri-o://1.34.1",
        kernelVersion: "5.14.0-570.el9.x86_64",
        bootID: "5e0b1c1e-7f0e-4a7b-9a57-6f7c2c1d9b10",
      },
      capacity: { cpu: "4", memory: "16Gi", pods: "250" },
      allocatable: { cpu: "3500m", memory: "15Gi", pods: "250" },
    },
  }) as unknown as KubeObject;

/** The Linux half of the cluster. */
export const linuxNodes = [
  linux("i-01000000000000a10", "10.0.0.10", "control-plane"),
  linux("i-01000000000000b10", "10.0.1.10", "control-plane"),
  linux("i-01000000000000c10", "10.0.3.10", "control-plane"),
  linux("i-02000000000000a20", "10.0.0.20", "worker"),
  linux("i-02000000000000b20", "10.0.1.20", "worker"),
] as const;

/** The simulated scheduler places the pods of these workloads. */
export const linuxPods: readonly KubeObject[] = [deployment("api", 2, { "kubernetes.io/os": "linux" }, [])];

const windowsTolerations = [{ key: "os", value: "Windows", effect: "NoSchedule" }];

/** Workloads on Windows: a deployment under a budget, and one that keeps data in an emptyDir. */
export const workloads: readonly KubeObject[] = [
  deployment(
    "storefront",
    2,
    { "kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": "10.0.20348" },
    windowsTolerations,
  ),
  deployment(
    "reports",
    1,
    { "kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": "10.0.20348" },
    windowsTolerations,
    [{ name: "scratch", emptyDir: {} }],
  ),
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "storefront", namespace: "default" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "storefront" } } },
  } as unknown as KubeObject,
];

function deployment(
  name: string,
  replicas: number,
  nodeSelector: object,
  tolerations: object[],
  volumes: object[] = [],
): KubeObject {
  const labels = { app: name };
  const container = { name, image: `registry.example.com/shop/${name}:1.4` };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default", labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { nodeSelector, tolerations, volumes, containers: [container] } },
    },
  } as unknown as KubeObject;
}
