import type { Cloud } from "../../core/surroundings.ts";
import type { Authority } from "../access/authority.ts";
import { known } from "../model/resources.ts";
import type { Server } from "../verbs/server.ts";
import { certificateSigner } from "./certificate-signer.ts";
import { cloudNodes } from "./cloud-nodes.ts";
import { type Plane, run } from "./controller.ts";
import { daemonKeeper } from "./daemons.ts";
import { disruption } from "./disruption.ts";
import { eventExpiry } from "./event-expiry.ts";
import { garbageCollectors } from "./garbage.ts";
import { hybridOverlay } from "./hybrid-overlay.ts";
import { namespaceKeeper } from "./namespaces.ts";
import { networkIdentity } from "./network-identity.ts";
import { nodeLifecycle } from "./node-lifecycle.ts";
import { podCollector } from "./pod-gc.ts";
import { podLifecycle } from "./pod-lifecycle.ts";
import { recorder } from "./recorder.ts";
import { deploymentKeeper, replicaKeeper, statefulSetKeeper } from "./replicas.ts";
import { scheduler } from "./scheduler.ts";
import { taintEviction } from "./taint-eviction.ts";

/** What the control plane is built from. */
export interface Surroundings {
  readonly server: Server;
  readonly cloud: Cloud;
  readonly authority: Authority;
  readonly region: string;
  readonly hybridNetwork: string;
}

/**
 * Starts everything that runs beside the API server.
 * @returns resume: makes every controller look at everything that is stored
 */
export function controlPlane({ server, cloud, authority, region, hybridNetwork }: Surroundings): { resume(): void } {
  const { foundation, objects, registry } = server;
  const record = recorder(foundation, objects);
  const plane: Plane = { foundation, objects, registry, cloud, authority, record, region, hybridNetwork };
  const resume = run(foundation, objects, [
    certificateSigner(plane),
    nodeLifecycle(plane),
    cloudNodes(plane),
    hybridOverlay(plane),
    networkIdentity(plane),
    taintEviction(plane),
    podCollector(plane),
    scheduler(plane),
    podLifecycle(plane),
    replicaKeeper(plane, known("replicasets", "apps")),
    replicaKeeper(plane, known("replicationcontrollers")),
    deploymentKeeper(plane),
    statefulSetKeeper(plane),
    daemonKeeper(plane),
    disruption(plane),
    namespaceKeeper(plane),
    ...garbageCollectors(plane),
    eventExpiry(foundation, objects),
  ]);
  return { resume };
}
