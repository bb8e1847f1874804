import type { NodeStatus } from "../../../lambdas/records/records.ts";
import { TAG } from "../../../lambdas/tags.ts";

/** The control API's GET /state, as far as the page shows it. */
export interface State {
  readonly now: string;
  readonly instances: readonly EC2Instance[];
  readonly machines: readonly Disk[];
  readonly nodes: readonly KubernetesNode[];
}

interface EC2Instance {
  readonly InstanceId: string;
  readonly InstanceType?: string;
  readonly State?: { readonly Name?: string };
  /** "Windows", or absent for any other system. */
  readonly Platform?: string;
  readonly PrivateIpAddress?: string;
  readonly Placement?: { readonly AvailabilityZone?: string };
  readonly LaunchTime?: string;
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
}

/** Files of a machine. */
interface Disk {
  readonly instanceId: string;
  readonly files: readonly { readonly path: string; readonly sha256: string }[];
}

interface KubernetesNode {
  readonly metadata: {
    readonly name: string;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly providerID?: string;
    readonly taints?: readonly { readonly key: string; readonly effect: string }[];
  };
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

/** Agent of an instance, as DescribeInstanceInformation describes it. */
export interface Agent {
  readonly instanceId: string;
  readonly pingStatus: string;
}

/** A node of an operation. */
export interface WorkedNode {
  readonly name: string;
  /** Name of the stage that it is at or failed at; "" before the first. */
  readonly stage: string;
  readonly status: NodeStatus;
}

/** An operation of the ledger. */
export interface ShownOperation {
  readonly id: string;
  /** "Add 2 nodes to web" */
  readonly title: string;
  readonly user: string;
  /** In the ledger's words: "running", "refused". */
  readonly status: string;
  readonly nodes: readonly WorkedNode[];
}

/** An instance in one row. */
export interface ShownInstance {
  readonly id: string;
  readonly state: string;
  /** "Online", "Connection Lost", or "–" before the agent has registered. */
  readonly ping: string;
  readonly pool: string;
  readonly windows: boolean;
  readonly type: string;
  readonly zone: string;
  readonly address: string;
}

/** A node in one row, in the words of `kubectl get nodes`. */
export interface ShownNode {
  readonly name: string;
  readonly status: string;
  readonly version: string;
  readonly windows: boolean;
  /** ISO 8601. */
  readonly created: string;
  readonly taints: readonly string[];
  readonly instanceId: string;
}

/** A registry's hosts.toml, with the instances that have it. */
export interface ShownRegistry {
  /** Its folder, whose name is that of the registry: "quay.io", "quay.io_5000_". */
  readonly folder: string;
  /** First digits of the file's sha256. */
  readonly hash: string;
  readonly instanceIds: readonly string[];
}

/** Content of the simulator's half of the page. */
export interface Snapshot {
  readonly now: string;
  readonly speed: number;
  readonly instances: readonly ShownInstance[];
  readonly nodes: readonly ShownNode[];
  readonly registries: readonly ShownRegistry[];
  readonly operations: readonly ShownOperation[];
}

const tag = (instance: EC2Instance, key: string): string => instance.Tags?.find((one) => one.Key === key)?.Value ?? "";

const shownInstance = (instance: EC2Instance, agents: readonly Agent[]): ShownInstance => ({
  id: instance.InstanceId,
  state: instance.State?.Name ?? "unknown",
  ping: agents.find((agent) => agent.instanceId === instance.InstanceId)?.pingStatus ?? "–",
  pool: tag(instance, TAG.pool) || tag(instance, "Name"),
  windows: instance.Platform?.toLowerCase() === "windows",
  type: instance.InstanceType ?? "",
  zone: instance.Placement?.AvailabilityZone ?? "",
  address: instance.PrivateIpAddress ?? "",
});

/** kubectl's STATUS column (k8s.io/kubectl, printers/internalversion: printNode). */
function statusOf({ spec, status }: KubernetesNode): string {
  const ready = status?.conditions?.find((condition) => condition.type === "Ready")?.status;
  const words = ready === undefined ? "Unknown" : ready === "True" ? "Ready" : "NotReady";
  return spec?.unschedulable ? `${words},SchedulingDisabled` : words;
}

const shownNode = (node: KubernetesNode): ShownNode => ({
  name: node.metadata.name,
  status: statusOf(node),
  version: node.status?.nodeInfo?.kubeletVersion ?? "",
  windows: node.metadata.labels?.["kubernetes.io/os"] === "windows",
  created: node.metadata.creationTimestamp ?? "",
  taints: (node.spec?.taints ?? []).map((taint) => `${taint.key}:${taint.effect}`),
  instanceId: node.spec?.providerID?.split("/").at(-1) ?? "",
});

/** Collects the registries' files of all machines: one row for each folder and content. */
function shownRegistries(machines: readonly Disk[]): readonly ShownRegistry[] {
  const files = machines.flatMap(({ instanceId, files }) =>
    files.flatMap(({ path, sha256 }) => {
      const [, folder] = /\\([^\\]+)\\hosts\.toml$/.exec(path) ?? [];
      return folder === undefined ? [] : [{ folder, hash: sha256.slice(0, 8), instanceId }];
    }),
  );
  return [...Map.groupBy(files, ({ folder, hash }) => `${folder} ${hash}`)]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .flatMap(([, [first, ...rest]]) =>
      first
        ? [
            {
              folder: first.folder,
              hash: first.hash,
              instanceIds: [first, ...rest].map(({ instanceId }) => instanceId),
            },
          ]
        : [],
    );
}

const isThere = (instances: readonly EC2Instance[], id: string): boolean =>
  instances.some(({ InstanceId, State }) => InstanceId === id && State?.Name !== "terminated");

const newestFirst = (one: EC2Instance, other: EC2Instance): number =>
  (other.LaunchTime ?? "").localeCompare(one.LaunchTime ?? "");

/**
 * Makes the content of the simulator's half of the page. Windows nodes and the newest instances come
 * first: they are what the operations work on.
 * @param operations as the ledger has them, the newest first
 */
export const snapshotOf = (
  state: State,
  agents: readonly Agent[],
  speed: number,
  operations: readonly ShownOperation[],
): Snapshot => ({
  now: state.now,
  speed,
  instances: [...state.instances].sort(newestFirst).map((instance) => shownInstance(instance, agents)),
  nodes: state.nodes.map(shownNode).sort((one, other) => Number(other.windows) - Number(one.windows)),
  registries: shownRegistries(state.machines.filter(({ instanceId }) => isThere(state.instances, instanceId))),
  operations,
});
