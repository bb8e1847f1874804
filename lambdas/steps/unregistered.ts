import { isKept, type NodeRecord } from "../records.ts";
import type { StageName } from "../stages.ts";
import { TAG } from "../tags.ts";
import { instanceIdOf } from "./cluster/node-facts.ts";
import type { Node } from "./cluster/nodes.ts";
import type { FrontDoorContext } from "./context.ts";
import { hasEnded, isOurs, launcherOf, type Machine } from "./ec2/instances.ts";
import { ledger } from "./ledger/ledger.ts";

/** A machine that Casement launched and that is no node of the cluster. */
export interface UnregisteredMachine {
  readonly instanceId: string;
  readonly pool: string | null;
  /** The operation that launched it. */
  readonly operation: string | null;
  /** "left": no operation works on it, and nothing is known of a decision. */
  readonly state: "provisioning" | "deciding" | "kept" | "left";
  /** The stage at which it failed. */
  readonly failedAt: StageName | null;
  /** ISO 8601: when it got into this state; when it was launched if that is not known. */
  readonly since: string;
}

/** The machines among these that Casement launched, that live, and for which no Node stands. */
export function withoutNode(machines: readonly Machine[], nodes: readonly Node[], cluster: string): Machine[] {
  const registered = new Set(nodes.map(instanceIdOf));
  return machines.filter(
    (machine) => isOurs(machine, cluster) && !hasEnded(machine) && !registered.has(machine.instanceId),
  );
}

function stateOf(record: NodeRecord | undefined): UnregisteredMachine["state"] {
  if (!record) return "left";
  if (record.status === "deciding") return "deciding";
  if (record.endedAt === null) return "provisioning";
  return isKept(record) ? "kept" : "left";
}

/**
 * Describes a machine that is no node.
 * @param record of the node that it was to become; undefined where the ledger has none
 */
export const describeUnregistered = (machine: Machine, record: NodeRecord | undefined): UnregisteredMachine => ({
  instanceId: machine.instanceId,
  pool: machine.tags[TAG.pool] ?? null,
  operation: launcherOf(machine),
  state: stateOf(record),
  failedAt: record?.failure?.stage ?? null,
  since: record?.keptAt ?? record?.failedAt ?? record?.startedAt ?? machine.launchedAt,
});

/** Records of the nodes that the operations of these machines worked on. */
async function recordsOf(context: FrontDoorContext, machines: readonly Machine[]): Promise<NodeRecord[]> {
  const operations = [...new Set(machines.flatMap((machine) => launcherOf(machine) ?? []))];
  return (await Promise.all(operations.map((id) => ledger(context).nodes(id)))).flat();
}

/** Machines that are no nodes, with what the ledger knows of them. */
export const unregistered = (context: FrontDoorContext) => ({
  /** Counts those of these machines that people kept for inspection. */
  countKept: async (machines: readonly Machine[]): Promise<number> => {
    const records = await recordsOf(context, machines);
    const kept = new Set(records.filter(isKept).map(({ instanceId }) => instanceId));
    return machines.filter(({ instanceId }) => kept.has(instanceId)).length;
  },

  /**
   * @param machines of the cluster
   * @param nodes all Nodes of the cluster
   */
  list: async (
    machines: readonly Machine[],
    nodes: readonly Node[],
    cluster: string,
  ): Promise<UnregisteredMachine[]> => {
    const found = withoutNode(machines, nodes, cluster);
    const records = await recordsOf(context, found);
    return found.map((machine) =>
      describeUnregistered(
        machine,
        records.find(({ instanceId }) => instanceId === machine.instanceId),
      ),
    );
  },
});
