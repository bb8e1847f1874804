import type { Configuration } from "../../configuration/configuration.ts";
import type { ChangeFacts } from "../../steps/cluster/change-rules.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { ownersOf } from "../../steps/cluster/ownership.ts";
import { isInGroup, otherControllersOf } from "../../steps/plan/other-controllers.ts";
import type { TracesSeen } from "../../steps/plan/traces.ts";
import type { Steps } from "../../steps/steps.ts";

/** Facts of a change, and descriptions of other controllers' marks that could not be read. */
interface FactsSeen extends ChangeFacts {
  readonly unread: readonly string[];
}

/** A Node without an instance has no Machine and no associations. */
const noTraces: TracesSeen = {
  machineFacts: null,
  healthChecks: [],
  associations: [],
  patches: null,
  groupMember: null,
  unread: [],
};

/**
 * Reads the current facts by which a change of a node is judged. Belongs into a step.
 * @param nodes every Node of the cluster
 * @param operation the operation that asks: its own lease is no obstacle
 * @throws a busy service's error
 */
export async function changeFactsOf(
  steps: Steps,
  { node, nodes }: { readonly node: Node; readonly nodes: readonly Node[] },
  configuration: Configuration,
  operation: string,
): Promise<FactsSeen> {
  const instanceId = instanceIdOf(node);
  const machine = instanceId ? await steps.instances.describe(instanceId) : undefined;
  const holder = instanceId ? await steps.leases.holder(instanceId) : undefined;
  const claimed = await steps.claims.all();
  const assisted = await steps.machines.assistance.all();
  const { unread, ...left } = instanceId ? await steps.traces.of(instanceId, isInGroup(machine)) : noTraces;
  const marks = instanceId ? await steps.machines.seen.marks(instanceId, node.metadata?.uid ?? "") : {};
  const others = otherControllersOf({ node, machine, claimed, marks, ...left, now: steps.now() });
  const heldBy = holder && holder !== operation ? holder : null;
  const owners = { ...ownersOf(configuration, { nodes, claimed }), assisted };
  return { ...owners, node, machine, others, heldBy, unread };
}
