import type { Cloud } from "../../core/ports.ts";
import type { Distribution } from "../access/admission.ts";
import type { Authority } from "../access/authority.ts";
import type { KubeletClients } from "../access/kubelet-clients.ts";
import { known } from "../model/resources.ts";
import type { Server } from "../verbs/server.ts";
import { attachDetach, volumesInUse } from "./attach-detach.ts";
import { certificateSigner } from "./certificate-signer.ts";
import { cloudNodes } from "./cloud-nodes.ts";
import { type Cluster, type Controller, run } from "./controller.ts";
import { csiNodeKeeper } from "./csi-nodes.ts";
import { daemonKeeper } from "./daemons.ts";
import { disruption } from "./disruption.ts";
import { eventExpiry } from "./event-expiry.ts";
import { garbageCollectors } from "./garbage.ts";
import { hybridOverlay } from "./hybrid-overlay.ts";
import { jobKeeper } from "./jobs.ts";
import { kubeletFaults } from "./kubelet-faults.ts";
import { kubeletSigner } from "./kubelet-signer.ts";
import { linuxKubelets } from "./linux-kubelets.ts";
import { loadBalancers } from "./load-balancers.ts";
import { namespaceKeeper } from "./namespaces.ts";
import { networkIdentity } from "./network-identity.ts";
import { nodeLifecycle } from "./node-lifecycle.ts";
import { nodeMarks } from "./node-marks.ts";
import { podCollector } from "./pod-gc.ts";
import { podLifecycle } from "./pod-lifecycle.ts";
import { probePods } from "./probe-pods.ts";
import { recorder } from "./recorder.ts";
import { deploymentKeeper, replicaKeeper, statefulSetKeeper } from "./replicas.ts";
import { scheduler } from "./scheduler.ts";
import { taintEviction } from "./taint-eviction.ts";

/** Parts from which the control plane is built. */
export interface ControlPlaneOptions {
  readonly server: Server;
  readonly cloud: Cloud;
  readonly authority: Authority;
  readonly kubeletClients: KubeletClients;
  readonly distribution: Distribution;
  readonly region: string;
  readonly hybridNetwork: string;
  readonly dataPlane?: Cluster["dataPlane"];
  readonly images?: Cluster["images"];
  /** Names of controllers that are switched off, so that a real one can replace them. */
  readonly without?: ReadonlySet<string>;
}

/** The simulator's controllers, by the name that switches them off. */
const controllers: Readonly<Record<string, (cluster: Cluster) => readonly Controller[]>> = {
  "certificate-signer": (cluster) => [certificateSigner(cluster)],
  "kubelet-signer": (cluster) => [kubeletSigner(cluster)],
  "linux-kubelets": (cluster) => [linuxKubelets(cluster)],
  "node-lifecycle": (cluster) => [nodeLifecycle(cluster)],
  "node-marks": (cluster) => [nodeMarks(cluster)],
  "cloud-nodes": (cluster) => [cloudNodes(cluster)],
  "service-lb": (cluster) => [loadBalancers(cluster)],
  "hybrid-overlay": (cluster) => [hybridOverlay(cluster)],
  "network-identity": (cluster) => [networkIdentity(cluster)],
  "taint-eviction": (cluster) => [taintEviction(cluster)],
  "pod-gc": (cluster) => [podCollector(cluster)],
  scheduler: (cluster) => [scheduler(cluster)],
  "pod-lifecycle": (cluster) => [podLifecycle(cluster), probePods(cluster)],
  replicasets: (cluster) => [replicaKeeper(cluster, known("replicasets", "apps"))],
  replicationcontrollers: (cluster) => [replicaKeeper(cluster, known("replicationcontrollers"))],
  deployments: (cluster) => [deploymentKeeper(cluster)],
  statefulsets: (cluster) => [statefulSetKeeper(cluster)],
  daemonsets: (cluster) => [daemonKeeper(cluster)],
  jobs: (cluster) => [jobKeeper(cluster)],
  "csi-nodes": (cluster) => [csiNodeKeeper(cluster)],
  "volumes-in-use": (cluster) => [volumesInUse(cluster)],
  "attach-detach": (cluster) => [attachDetach(cluster)],
  disruption: (cluster) => [disruption(cluster)],
  namespaces: (cluster) => [namespaceKeeper(cluster)],
  garbage: garbageCollectors,
  "event-expiry": ({ simulation, objects }) => [eventExpiry(simulation, objects)],
};

/** Names of the simulator's controllers. */
export const controllerNames: readonly string[] = Object.keys(controllers);

/**
 * Starts the controllers beside the API server.
 * @returns the controllers' view of the cluster, and `resume`, which makes every controller reconcile every object
 */
export function controlPlane(options: ControlPlaneOptions): {
  readonly cluster: Cluster;
  resume(): void;
} {
  const { server, without = new Set(), dataPlane = () => undefined, images = () => undefined, ...ports } = options;
  const { simulation, objects, registry } = server;
  const cluster: Cluster = {
    simulation,
    objects,
    registry,
    record: recorder(simulation, objects),
    dataPlane,
    images,
    ...ports,
  };
  simulation.faults.declare(...kubeletFaults);
  const running = controllerNames.filter((name) => !without.has(name));
  const resume = run(
    simulation,
    objects,
    running.flatMap((name) => controllers[name]?.(cluster) ?? []),
  );
  return { cluster, resume };
}
