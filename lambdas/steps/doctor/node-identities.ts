import type { Finding } from "../../messages/doctor/finding.ts";
import { TAG } from "../../tags.ts";
import { isInService } from "../cluster/breaker.ts";
import { identitiesOf, identityFaultOf } from "../cluster/identity.ts";
import { instanceIdOf, isReady, readySince } from "../cluster/node-facts.ts";
import { nodes } from "../cluster/nodes.ts";
import { instances } from "../ec2/instances.ts";
import { machines } from "../machines/machines.ts";
import type { DoctorCheck, DoctorFacts } from "./check.ts";

async function observe({ context, configuration }: DoctorFacts): Promise<Finding[]> {
  const [all, registered, assisted] = await Promise.all([
    instances(context).ofCluster(configuration.cluster.id),
    nodes(context).all(),
    machines(context).assistance.all(),
  ]);
  const identities = identitiesOf(configuration, { nodes: registered, assisted });
  return all.flatMap((machine): Finding[] => {
    const fault = identityFaultOf(machine, identities);
    return fault ? [{ kind: "node-identity", fault }] : [];
  });
}

async function observeReadiness({ context, configuration }: DoctorFacts): Promise<Finding[]> {
  const [machinesOfCluster, registered] = await Promise.all([
    instances(context).ofCluster(configuration.cluster.id),
    nodes(context).all(),
  ]);
  const pools = new Map(machinesOfCluster.map(({ instanceId, tags }) => [instanceId, tags[TAG.pool] ?? null]));
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
export const nodesReady: DoctorCheck = { area: "Nodes", what: "which nodes are Ready", observe: observeReadiness };

/** Finds machines whose Node does not belong to them, which are refused for every change. */
export const nodeIdentities: DoctorCheck = { area: "Nodes", what: "which Node belongs to which machine", observe };
