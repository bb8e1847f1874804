import type { Cluster, Controller } from "../kubernetes/controllers/controller.ts";
import { nodes, osOf } from "../kubernetes/controllers/nodes.ts";
import type { Node } from "../kubernetes/model/shapes.ts";
import { type Neighbour, runControllers } from "./neighbour.ts";

/** Milliseconds after which the person uncordons a node. */
const PATIENCE = 60_000;

/** Removes every cordon of a Windows node a minute after it was seen: kubectl uncordon leaves nothing else behind. */
function uncordoner({ simulation, objects }: Cluster): Controller {
  return {
    name: "uncordons",
    type: nodes,
    reconcile: ({ name }) => {
      const node = objects.get<Node>(nodes, undefined, name);
      if (!node?.spec.unschedulable || osOf(node) !== "windows") return undefined;
      const cordoned = node.spec.taints?.find(({ key }) => key === "node.kubernetes.io/unschedulable");
      // The taint, and with it the time, comes some milliseconds after the cordon.
      if (!cordoned?.timeAdded) return undefined;
      const due = Date.parse(cordoned.timeAdded) + PATIENCE;
      if (simulation.clock.now() < due) return due;
      const { unschedulable: _cordon, ...spec } = node.spec;
      objects.replace<Node>(nodes, { ...node, spec });
      return undefined;
    },
  };
}

/** A person who uncordons whatever is cordoned. */
export const uncordons: Neighbour = {
  name: "uncordons",
  sentence: "A person uncordons every Windows node a minute after it was cordoned, whoever cordoned it.",
  start: (services) => runControllers(services, (cluster) => [uncordoner(cluster)]),
};
