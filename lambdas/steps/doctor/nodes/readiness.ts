import type { Finding } from "../../../messages/doctor/finding.ts";
import { poolOf } from "../../../tags.ts";
import { isInService } from "../../cluster/breaker.ts";
import { instanceIdOf, isReady, readySince } from "../../cluster/node-facts.ts";
import { nodes } from "../../cluster/nodes.ts";
import { instances } from "../../ec2/instances.ts";
import type { DoctorCheck, DoctorFacts } from "../check.ts";

async function observe({ context, configuration }: DoctorFacts): Promise<Finding[]> {
  const [machinesOfCluster, registered] = await Promise.all([
    instances(context).ofCluster(configuration.cluster.id),
    nodes(context).all(),
  ]);
  const pools = new Map(machinesOfCluster.map((machine) => [machine.instanceId, poolOf(machine)]));
  const unready = registered
    .filter((node) => isInService(node) && !isReady(node))
    .map((node) => ({
      node: node.metadata?.name ?? "",
      pool: pools.get(instanceIdOf(node) ?? "") ?? null,
      since: new Date(readySince(node)).toISOString(),
    }));
  const at = new Date(context.now()).toISOString();
  return unready.length === 0 ? [] : [{ kind: "nodes-not-ready", nodes: unready, at }];
}

/** Finds Windows nodes in service that are not Ready. */
export const nodesReady: DoctorCheck = { area: "Nodes", what: "which nodes are Ready", observe };
