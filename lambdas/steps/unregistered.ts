import { isKept, type NodeRecord } from "../records/records.ts";
import type { StageName } from "../stages.ts";
import { poolOf } from "../tags.ts";
import { instanceIdOf } from "./cluster/node-facts.ts";
import type { Node } from "./cluster/nodes.ts";
import type { FrontDoorContext } from "./context.ts";
import { hasEnded, isOurs, launcherOf, type Machine } from "./ec2/instances.ts";
import { ledger } from "./ledger/ledger.ts";

/** A machine that Casement launched and that is not a node of the cluster. */
export interface UnregisteredMachine {
  readonly instanceId: string;
  readonly pool: string | null;
  /** The operation that launched it. */
  readonly operation: string | null;
  /** "left": no operation works on it, and no decision about it is known. */
  readonly state: "provisioning" | "deciding" | "kept" | "left";
  /** The stage that failed. */
  readonly failedAt: StageName | null;
  /** ISO 8601: start of this state, or the launch if that is not known. */
  readonly since: string;
}

/** Selects the machines that Casement launched, that have not ended, and that have no Node. */
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
 * Describes a machine that is not a node.
 * @param record the ledger's record of the node that it was to become; undefined if there is none
 */
export const describeUnregistered = (machine: Machine, record: NodeRecord | undefined): UnregisteredMachine => ({
  instanceId: machine.instanceId,
  pool: poolOf(machine),
  operation: launcherOf(machine),
  state: stateOf(record),
  failedAt: record?.failure?.stage ?? null,
  since: record?.keptAt ?? record?.failedAt ?? record?.startedAt ?? machine.launchedAt,
});

/** Reads the node records of the operations that launched these machines. */
async function recordsOf(context: FrontDoorContext, machines: readonly Machine[]): Promise<NodeRecord[]> {
  const operations = [...new Set(machines.flatMap((machine) => launcherOf(machine) ?? []))];
  return (await Promise.all(operations.map((id) => ledger(context).nodes(id)))).flat();
}

/** Lists the machines that are not nodes, with the ledger's facts about them. */
export const unregistered = (context: FrontDoorContext) => ({
  /** Selects the machines that people kept for inspection. */
  kept: async (machines: readonly Machine[]): Promise<Machine[]> => {
    const records = await recordsOf(context, machines);
    const kept = new Set(records.filter(isKept).map(({ instanceId }) => instanceId));
    return machines.filter(({ instanceId }) => kept.has(instanceId));
  },

  /**
   * Lists the unregistered machines.
   * @param machines every machine of the cluster
   * @param nodes every Node of the cluster
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
