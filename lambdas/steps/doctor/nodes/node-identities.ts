import type { Finding } from "../../../messages/doctor/finding.ts";
import { identitiesOf, identityFaultOf } from "../../cluster/identity.ts";
import { nodes } from "../../cluster/nodes.ts";
import { instances } from "../../ec2/instances.ts";
import { machines } from "../../machines/machines.ts";
import type { DoctorCheck, DoctorFacts } from "../check.ts";

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

/** Finds machines whose Node does not belong to them, which are refused for every change. */
export const nodeIdentities: DoctorCheck = { area: "Nodes", what: "which Node belongs to which machine", observe };
