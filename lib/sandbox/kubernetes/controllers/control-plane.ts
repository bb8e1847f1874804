import type { Cloud } from "../../core/surroundings.ts";
import type { Authority } from "../access/authority.ts";
import type { KubeletClients } from "../access/kubelet-clients.ts";
import { known } from "../model/resources.ts";
import type { Server } from "../verbs/server.ts";
import { certificateSigner } from "./certificate-signer.ts";
import { cloudNodes } from "./cloud-nodes.ts";
import { type Controller, type Plane, run } from "./controller.ts";
import { daemonKeeper } from "./daemons.ts";
import { disruption } from "./disruption.ts";
import { eventExpiry } from "./event-expiry.ts";
import { garbageCollectors } from "./garbage.ts";
import { hybridOverlay } from "./hybrid-overlay.ts";
import { kubeletSigner } from "./kubelet-signer.ts";
import { linuxKubelets } from "./linux-kubelets.ts";
import { loadBalancers } from "./load-balancers.ts";
import { namespaceKeeper } from "./namespaces.ts";
import { networkIdentity } from "./network-identity.ts";
import { nodeLifecycle } from "./node-lifecycle.ts";
import { nodeMarks } from "./node-marks.ts";
import { podCollector } from "./pod-gc.ts";
import { podLifecycle } from "./pod-lifecycle.ts";
import { recorder } from "./recorder.ts";
import { deploymentKeeper, replicaKeeper, statefulSetKeeper } from "./replicas.ts";
import { scheduler } from "./scheduler.ts";
import { taintEviction } from "./taint-eviction.ts";

/** Parts from which the control plane is built. */
export interface Surroundings {
  readonly server: Server;
  readonly cloud: Cloud;
  readonly authority: Authority;
  readonly kubeletClients: KubeletClients;
  readonly region: string;
  readonly hybridNetwork: string;
  readonly pull?: Plane["pull"];
  /** Names of controllers that do not run, so that a real one can take their place. */
  readonly without?: ReadonlySet<string>;
}

/** The simulator's own controllers, by the name that switches them off. */
const controllers: Readonly<Record<string, (plane: Plane) => readonly Controller[]>> = {
  "certificate-signer": (plane) => [certificateSigner(plane)],
  "kubelet-signer": (plane) => [kubeletSigner(plane)],
  "linux-kubelets": (plane) => [linuxKubelets(plane)],
  "node-lifecycle": (plane) => [nodeLifecycle(plane)],
  "node-marks": (plane) => [nodeMarks(plane)],
  "cloud-nodes": (plane) => [cloudNodes(plane)],
  "service-lb": (plane) => [loadBalancers(plane)],
  "hybrid-overlay": (plane) => [hybridOverlay(plane)],
  "network-identity": (plane) => [networkIdentity(plane)],
  "taint-eviction": (plane) => [taintEviction(plane)],
  "pod-gc": (plane) => [podCollector(plane)],
  scheduler: (plane) => [scheduler(plane)],
  "pod-lifecycle": (plane) => [podLifecycle(plane)],
  replicasets: (plane) => [replicaKeeper(plane, known("replicasets", "apps"))],
  replicationcontrollers: (plane) => [replicaKeeper(plane, known("replicationcontrollers"))],
  deployments: (plane) => [deploymentKeeper(plane)],
  statefulsets: (plane) => [statefulSetKeeper(plane)],
  daemonsets: (plane) => [daemonKeeper(plane)],
  disruption: (plane) => [disruption(plane)],
  namespaces: (plane) => [namespaceKeeper(plane)],
  garbage: garbageCollectors,
  "event-expiry": ({ foundation, objects }) => [eventExpiry(foundation, objects)],
};

/** Names of the simulator's own controllers. */
export const controllerNames: readonly string[] = Object.keys(controllers);

/**
 * Starts everything that runs beside the API server.
 * @returns what controllers work with, and resume: makes every controller look at everything that is stored
 */
export function controlPlane({ server, without = new Set(), pull = () => undefined, ...surroundings }: Surroundings): {
  readonly plane: Plane;
  resume(): void;
} {
  const { foundation, objects, registry } = server;
  const plane: Plane = { foundation, objects, registry, record: recorder(foundation, objects), pull, ...surroundings };
  const running = controllerNames.filter((name) => !without.has(name));
  const resume = run(
    foundation,
    objects,
    running.flatMap((name) => controllers[name]?.(plane) ?? []),
  );
  return { plane, resume };
}
