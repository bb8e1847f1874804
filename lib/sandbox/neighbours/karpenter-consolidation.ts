import type { Cluster, Controller } from "../kubernetes/controllers/controller.ts";
import { nodes, osOf, pods, podsOn } from "../kubernetes/controllers/nodes.ts";
import { isFinished, type Node, type Pod } from "../kubernetes/model/shapes.ts";
import { idOf, type Neighbour, runControllers, type Services, takeFromMachineSet, terminate } from "./neighbour.ts";

// Karpenter 1.x, "Disruption": consolidation of empty nodes, and the node's annotation against it.

const DO_NOT_DISRUPT = "karpenter.sh/do-not-disrupt";

/** Tags of the instances that Karpenter launches; the NodePool is a label of the Node too. */
const CLAIM = "karpenter.sh/nodeclaim";
const POOL = "karpenter.sh/nodepool";
const NAME = "windows";

/** Milliseconds for which a node must be empty: `consolidateAfter` of the documentation's examples. */
const CONSOLIDATE_AFTER = 30_000;

/** A pod that would have to run elsewhere; one of a DaemonSet goes with its node. */
const isReschedulable = (pod: Pod): boolean =>
  !isFinished(pod) && !(pod.metadata.ownerReferences ?? []).some(({ kind }) => kind === "DaemonSet");

const DISRUPTED = "karpenter.sh/disrupted";

/** A Windows node of the pool that is not on its way out. */
const isCandidate = (node: Node | undefined): node is Node =>
  node !== undefined &&
  osOf(node) === "windows" &&
  node.metadata.labels?.[POOL] === NAME &&
  !(node.spec.taints ?? []).some(({ key }) => key === DISRUPTED);

/** Takes away each node of the pool that has been empty for too long, unless it is annotated. */
function consolidation(services: Services, cluster: Cluster): Controller {
  const { simulation, objects } = cluster;
  const emptySince = simulation.store.collection<number>("karpenter-empty-since");

  const disrupt = (node: Node): void => {
    const taint = { key: DISRUPTED, effect: "NoSchedule" } as const;
    objects.replace<Node>(nodes, { ...node, spec: { ...node.spec, taints: [...(node.spec.taints ?? []), taint] } });
    void simulation.busy(terminate(services, idOf(node)));
  };

  return {
    name: "karpenter-consolidation",
    type: nodes,
    concerns: ({ type, object, before }) =>
      type === pods
        ? [object, before].flatMap((pod) => {
            const name = (pod as Pod | undefined)?.spec.nodeName;
            return name === undefined ? [] : [{ namespace: undefined, name }];
          })
        : [],
    reconcile: ({ name }) => {
      const node = objects.get<Node>(nodes, undefined, name);
      if (!isCandidate(node)) return undefined;
      if (podsOn(cluster, name).some(isReschedulable)) {
        emptySince.delete(name);
        return undefined;
      }
      const since = emptySince.get(name) ?? simulation.clock.now();
      emptySince.set(name, since);
      if (node.metadata.annotations?.[DO_NOT_DISRUPT] === "true") return undefined;
      if (simulation.clock.now() < since + CONSOLIDATE_AFTER) return since + CONSOLIDATE_AFTER;
      disrupt(node);
      return undefined;
    },
  };
}

/** Karpenter made the MachineSet's Windows node, once. */
function own(services: Services): void {
  const { objects } = services.kubernetes.cluster;
  const ids = takeFromMachineSet(services, { [CLAIM]: `${NAME}-x7k2p`, [POOL]: NAME });
  for (const node of objects.list<Node>(nodes))
    if (ids.includes(idOf(node))) {
      const labels = { ...node.metadata.labels, [POOL]: NAME };
      objects.replace<Node>(nodes, { ...node, metadata: { ...node.metadata, labels } });
    }
}

/** Karpenter with a NodePool that is consolidated when its nodes are empty. */
export const karpenterConsolidation: Neighbour = {
  name: "karpenter-consolidation",
  sentence:
    "Karpenter owns the MachineSet's Windows node instead, and terminates it when it has been empty for half a minute.",
  start: (services) => {
    own(services);
    runControllers(services, (cluster) => [consolidation(services, cluster)]);
  },
};
