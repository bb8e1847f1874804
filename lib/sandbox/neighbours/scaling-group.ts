import type { InstanceRecord } from "../aws/ec2/records.ts";
import type { Cluster, Controller } from "../kubernetes/controllers/controller.ts";
import { nodes, osOf } from "../kubernetes/controllers/nodes.ts";
import { at } from "../kubernetes/model/object.ts";
import { known } from "../kubernetes/model/resources.ts";
import { conditionOf, type Node } from "../kubernetes/model/shapes.ts";
import { type Neighbour, runControllers, type Services, terminate } from "./neighbour.ts";

const machines = known("machines", "machine.openshift.io");

/** The group, as a node group of Windows machines behind a load balancer is set up. */
const GROUP = "windows-edge";
const GROUP_TAG = "aws:autoscaling:groupName";

/**
 * Milliseconds for which a node may not be Ready: its target fails two checks, 30 s apart (Elastic Load Balancing user guide,
 * "Target group health checks"; Auto Scaling user guide, "Health checks for instances in an Auto Scaling group").
 */
const PATIENCE_MS = 60_000;

const idOf = ({ spec }: Node): string => spec.providerID?.split("/").at(-1) ?? "";

/** Puts the MachineSet's Windows instance into the group, in which the MachineSet does not know it any more; once. */
function found({ kubernetes: { cluster }, scaling }: Services): void {
  if (scaling.groups.get(GROUP)) return;
  const instances = cluster.simulation.store.collection<InstanceRecord>("ec2-instances");
  const members: Record<string, "InService"> = {};
  for (const machine of cluster.objects.list(machines)) {
    const id =
      String(at(machine, "spec", "providerID"))
        .split("/")
        .at(-1) ?? "";
    const instance = instances.get(id);
    if (!instance) continue;
    instances.set(id, { ...instance, tags: { ...instance.tags, [GROUP_TAG]: GROUP } });
    cluster.registry.remove({
      type: machines,
      namespace: machine.metadata.namespace,
      name: machine.metadata.name,
    });
    members[id] = "InService";
  }
  scaling.groups.set(GROUP, { name: GROUP, checks: "EC2,ELB", suspended: [], members });
}

/** Terminates an instance of the group whose node has not been Ready for a minute, unless its owner has paused the checks. */
function healthCheck(services: Services, { simulation, objects }: Cluster): Controller {
  const isChecked = (id: string): boolean => {
    const group = services.scaling.groups.get(GROUP);
    return group?.members[id] === "InService" && !group.suspended.includes("HealthCheck");
  };

  const replace = (id: string): void => {
    const group = services.scaling.groups.get(GROUP);
    if (!group || group.suspended.includes("ReplaceUnhealthy")) return;
    services.scaling.groups.set(GROUP, { ...group, members: { ...group.members, [id]: "Terminating" } });
    void simulation.busy(terminate(services, id));
  };

  return {
    name: "scaling-group",
    type: nodes,
    reconcile: ({ name }) => {
      const node = objects.get<Node>(nodes, undefined, name);
      if (!node || osOf(node) !== "windows" || !isChecked(idOf(node))) return undefined;
      const ready = conditionOf(node.status?.conditions, "Ready");
      if (!ready || ready.status === "True") return undefined;
      const due = Date.parse(ready.lastTransitionTime ?? "") + PATIENCE_MS;
      if (simulation.clock.now() < due) return due;
      replace(idOf(node));
      return undefined;
    },
  };
}

/** An Auto Scaling group whose health checks lose patience with a node that is not Ready for a minute. */
export const scalingGroup: Neighbour = {
  name: "scaling-group",
  sentence:
    "The MachineSet's Windows node belongs to an Auto Scaling group instead, whose health check terminates it when it has not been Ready for a minute.",
  start: (services) => {
    found(services);
    runControllers(services, (cluster) => [healthCheck(services, cluster)]);
  },
};
