import { stopOver } from "../../change/inputs/due.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { atMost, RECORDS_AT_ONCE } from "../../engine/chunks.ts";
import type { LeftOutNode } from "../../messages/operation/reconcile.ts";
import { provisioned } from "../../steps/cluster/managed-nodes.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { ownershipOf, ownersOf } from "../../steps/cluster/ownership.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";

/**
 * Finds the reason why each of these nodes is not changed, in the order in which nodes are selected. Belongs into a
 * step.
 * @param nodes every Node of the cluster
 * @param asked the nodes to explain
 */
export async function leftOutNodes(
  steps: Steps,
  configuration: Configuration,
  nodes: readonly Node[],
  asked: readonly Node[],
): Promise<readonly LeftOutNode[]> {
  const { cluster } = configuration;
  const machines = new Map((await steps.instances.ofCluster(cluster.id)).map((one) => [one.instanceId, one]));
  const [claimed, agents] = [await steps.claims.all(), await steps.machine.agents()];
  const owners = ownersOf(configuration, { nodes, claimed });
  const stopOf = await stopOver(steps, configuration);
  const seen = await steps.machines.seen.all();
  const machineOf = (node: Node): Machine | undefined => {
    const [own] = provisioned([node]);
    const machine = machines.get((own && instanceIdOf(own)) ?? "");
    return ownershipOf(machine, owners) === "managed" ? machine : undefined;
  };
  const faultOf = ({ instanceId, state }: Machine): LeftOutNode["reason"] | null => {
    if (state !== "running") return { kind: "not-running", state };
    if (!agents.get(instanceId)?.online) return { kind: "silent" };
    const by = seen.get(instanceId)?.proxiedBy;
    return by === undefined ? null : { kind: "proxied", by };
  };
  const reasonOf = async (node: Node): Promise<LeftOutNode["reason"]> => {
    const machine = machineOf(node);
    if (!machine) return { kind: "not-managed" };
    const fault = faultOf(machine);
    if (fault !== null) return fault;
    const stop = stopOf({ node, machine });
    if (stop !== null) return { kind: "stopped", stop };
    const holder = await steps.leases.holder(machine.instanceId);
    return holder === undefined ? { kind: "up-to-date" } : { kind: "held", operation: holder };
  };
  return atMost(RECORDS_AT_ONCE, asked, async (node) => ({
    name: node.metadata?.name ?? "",
    reason: await reasonOf(node),
  }));
}
