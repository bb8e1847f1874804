import type { Cluster, Controller } from "../kubernetes/controllers/controller.ts";
import { nodes, osOf } from "../kubernetes/controllers/nodes.ts";
import { conditionOf, type Node } from "../kubernetes/model/shapes.ts";
import { idOf, type Neighbour, runControllers, type Services, takeFromMachineSet, terminate } from "./neighbour.ts";

/** A group of Windows machines, and how its health check sees them. */
interface Group {
  readonly name: string;
  readonly checks: string;
  /** Tags of its instances. */
  readonly tags: Readonly<Record<string, string>>;
  /** Milliseconds for which a node may not be Ready. */
  readonly patience: number;
}

/**
 * A group behind a load balancer: a target fails two checks, 30 s apart (Elastic Load Balancing user guide, "Target group health checks";
 * Auto Scaling user guide, "Health checks for instances in an Auto Scaling group").
 */
const BALANCED: Group = {
  name: "windows-edge",
  checks: "EC2,ELB",
  tags: { "aws:autoscaling:groupName": "windows-edge" },
  patience: 60_000,
};

/**
 * The group that EKS makes for a managed node group, with EC2's status checks alone. They are made every minute (EC2 user guide, "Status
 * checks"); the second one that fails counts (assumed).
 */
const OF_NODE_GROUP: Group = {
  name: "eks-windows-3cc1f4a2",
  checks: "EC2",
  tags: { "aws:autoscaling:groupName": "eks-windows-3cc1f4a2", "eks:nodegroup-name": "windows" },
  patience: 120_000,
};

/** Puts the MachineSet's Windows instance into the group, in which the MachineSet does not know it any more; once. */
function found(services: Services, { name, checks, tags }: Group): void {
  const { groups } = services.scaling;
  if (groups.get(name)) return;
  const ids = takeFromMachineSet(services, tags);
  const members = Object.fromEntries(ids.map((id) => [id, "InService"] as const));
  groups.set(name, { name, checks, suspended: [], members });
}

/** Terminates an instance of the group whose node has not been Ready for too long, unless its owner has paused the checks. */
function healthCheck(services: Services, { simulation, objects }: Cluster, { name: of, patience }: Group): Controller {
  const { groups } = services.scaling;
  const isChecked = (id: string): boolean => {
    const group = groups.get(of);
    return group?.members[id] === "InService" && !group.suspended.includes("HealthCheck");
  };

  const replace = (id: string): void => {
    const group = groups.get(of);
    if (!group || group.suspended.includes("ReplaceUnhealthy")) return;
    groups.set(of, { ...group, members: { ...group.members, [id]: "Terminating" } });
    void simulation.busy(terminate(services, id));
  };

  return {
    name: of,
    type: nodes,
    reconcile: ({ name }) => {
      const node = objects.get<Node>(nodes, undefined, name);
      if (!node || osOf(node) !== "windows" || !isChecked(idOf(node))) return undefined;
      const ready = conditionOf(node.status?.conditions, "Ready");
      if (!ready || ready.status === "True") return undefined;
      const due = Date.parse(ready.lastTransitionTime ?? "") + patience;
      if (simulation.clock.now() < due) return due;
      replace(idOf(node));
      return undefined;
    },
  };
}

const groupOf = (name: string, sentence: string, group: Group): Neighbour => ({
  name,
  sentence,
  start: (services) => {
    found(services, group);
    runControllers(services, (cluster) => [healthCheck(services, cluster, group)]);
  },
});

/** An Auto Scaling group whose health checks lose patience with a node that is not Ready for a minute. */
export const scalingGroup = groupOf(
  "scaling-group",
  "The MachineSet's Windows node belongs to an Auto Scaling group instead, whose health check terminates it when it has not been Ready for a minute.",
  BALANCED,
);

/** A managed node group of EKS, whose Auto Scaling group loses patience with a node that is not Ready for two minutes. */
export const nodeGroup = groupOf(
  "node-group",
  "The MachineSet's Windows node belongs to a managed node group of EKS instead, whose Auto Scaling group terminates it when it has not been Ready for two minutes.",
  OF_NODE_GROUP,
);
