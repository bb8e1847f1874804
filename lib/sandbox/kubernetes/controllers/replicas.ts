import { createHash } from "node:crypto";
import { copy, fieldsOf, type KubeObject } from "../model/object.ts";
import { known, type ResourceType } from "../model/resources.ts";
import type { Pod, Workload } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { pods } from "./nodes.ts";
import {
  activeWorkload,
  createPod,
  deletePod,
  isActive,
  isReady,
  ownedBy,
  ownedOf,
  ownerKey,
  podOf,
  report,
  scale,
} from "./workloads.ts";

const replicaSets = known("replicasets", "apps");
const deployments = known("deployments", "apps");
const statefulSets = known("statefulsets", "apps");

const counts = (active: readonly Pod[]): Record<string, number> => {
  const readyReplicas = active.filter(isReady).length;
  return {
    replicas: active.length,
    readyReplicas,
    availableReplicas: readyReplicas,
    fullyLabeledReplicas: active.length,
  };
};

/** Keeps the number of pods that a ReplicaSet or ReplicationController asks for. */
export function replicaKeeper(cluster: Cluster, type: ResourceType): Controller {
  return {
    name: type.plural,
    type,
    concerns: ownerKey(type.kind, pods),
    reconcile: (key) => {
      const set = activeWorkload(cluster, type, key);
      if (!set) return undefined;
      const active = (): Pod[] => ownedOf<Pod>(cluster, pods, set).filter(isActive);
      scale(cluster, set, active());
      report(cluster, type, set, counts(active()));
      return undefined;
    },
  };
}

/**
 * Keeps a StatefulSet's pods: by name, one after the other; a lost one is replaced under its name once the old one is
 * gone.
 */
export function statefulSetKeeper(cluster: Cluster): Controller {
  const next = (set: Workload, present: readonly Pod[]): void => {
    const names = Array.from({ length: set.spec.replicas ?? 1 }, (_, index) => `${set.metadata.name}-${index}`);
    const waitsFor = names.find((name) => !present.some((pod) => pod.metadata.name === name && isReady(pod)));
    if (waitsFor && !present.some(({ metadata }) => metadata.name === waitsFor))
      createPod(cluster, set, podOf(set, { name: waitsFor }));
    const extra = present.filter((pod) => isActive(pod) && !names.includes(pod.metadata.name)).at(-1);
    if (extra) deletePod(cluster, set, extra);
  };
  return {
    name: "statefulsets",
    type: statefulSets,
    concerns: ownerKey("StatefulSet", pods),
    reconcile: (key) => {
      const set = activeWorkload(cluster, statefulSets, key);
      if (!set) return undefined;
      next(set, ownedOf<Pod>(cluster, pods, set));
      report(cluster, statefulSets, set, counts(ownedOf<Pod>(cluster, pods, set).filter(isActive)));
      return undefined;
    },
  };
}

const HASH = "pod-template-hash";

/** Builds the ReplicaSet of a deployment's current template. */
function currentSet(deployment: Workload): KubeObject {
  const hash = createHash("sha256").update(JSON.stringify(deployment.spec.template)).digest("hex").slice(0, 10);
  const { name, namespace, labels } = deployment.metadata;
  const template = copy(deployment.spec.template ?? {});
  template.metadata = { ...template.metadata, labels: { ...template.metadata?.labels, [HASH]: hash } };
  const matchLabels = { ...deployment.spec.selector?.matchLabels, [HASH]: hash };
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace ? { namespace } : {}),
      labels: { ...labels, ...template.metadata.labels },
      ownerReferences: [ownedBy(deployment)],
    },
    spec: { replicas: deployment.spec.replicas ?? 1, selector: { ...deployment.spec.selector, matchLabels }, template },
  } as unknown as KubeObject;
}

/** Computes a Deployment's status from its current ReplicaSet's. */
function summary({ spec }: Workload, set: KubeObject | undefined): Record<string, unknown> {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = fieldsOf(set?.status) as Record<string, number>;
  const [status, reason] =
    availableReplicas >= (spec.replicas ?? 1)
      ? ["True", "MinimumReplicasAvailable"]
      : ["False", "MinimumReplicasUnavailable"];
  const conditions = [{ type: "Available", status, reason }];
  return { replicas, updatedReplicas: replicas, readyReplicas, availableReplicas, conditions };
}

/**
 * Keeps the ReplicaSet of a Deployment's current template at its scale and the others at zero. A new template replaces
 * all pods at once: the pace of a rolling update is not modelled.
 */
export function deploymentKeeper(cluster: Cluster): Controller {
  const { objects, registry, record } = cluster;
  /** Writes a change of scale (k8s pkg/controller/deployment/sync.go scaleReplicaSet). */
  const recordScale = (deployment: Workload, set: string, before: number, after: number): void => {
    if (before === after) return;
    const message = `Scaled ${after > before ? "up" : "down"} replica set ${set} from ${before} to ${after}`;
    record({
      component: "deployment-controller",
      about: deployment,
      type: "Normal",
      reason: "ScalingReplicaSet",
      message,
    });
  };
  const scaled = (deployment: Workload, set: Workload, replicas: number): void => {
    const target = { type: replicaSets, namespace: set.metadata.namespace, name: set.metadata.name };
    const before = set.spec.replicas ?? 1;
    if (before === replicas) return;
    registry.update(target, (current) => ({ ...current, spec: { ...set.spec, replicas } }));
    recordScale(deployment, set.metadata.name, before, replicas);
  };
  return {
    name: "deployments",
    type: deployments,
    concerns: ownerKey("Deployment", replicaSets),
    reconcile: (key) => {
      const deployment = activeWorkload(cluster, deployments, key);
      if (!deployment) return undefined;
      const wanted = currentSet(deployment);
      if (!objects.get(replicaSets, key.namespace, wanted.metadata.name)) {
        registry.create(replicaSets, wanted);
        recordScale(deployment, wanted.metadata.name, 0, deployment.spec.replicas ?? 1);
      }
      for (const set of ownedOf<Workload>(cluster, replicaSets, deployment)) {
        scaled(deployment, set, set.metadata.name === wanted.metadata.name ? (deployment.spec.replicas ?? 1) : 0);
      }
      report(
        cluster,
        deployments,
        deployment,
        summary(deployment, objects.get(replicaSets, key.namespace, wanted.metadata.name)),
      );
      return undefined;
    },
  };
}
