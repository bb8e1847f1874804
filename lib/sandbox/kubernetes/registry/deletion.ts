import type { Simulation } from "../../core/simulation.ts";
import { conflict, notFound } from "../model/failure.ts";
import { type KubeObject, timestamp } from "../model/object.ts";
import { type ResourceType, resourceTypes } from "../model/resources.ts";
import { isFinished, type Pod } from "../model/shapes.ts";
import type { Objects } from "../store/objects.ts";
import type { Admission, Target } from "./change.ts";

/** The meta/v1 DeleteOptions that are simulated. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: readonly string[];
}

/** Outcome of a deletion: the object, and whether it is gone. */
export interface Removal {
  readonly object: KubeObject;
  /** False while finalizers or a grace period keep it. */
  readonly gone: boolean;
}

/** Finalizer that keeps an owner until its dependents are gone. */
export const FOREGROUND = "foregroundDeletion";

/**
 * Throws 409 when the uid or the version is not the one that the caller judged (rest.BeforeDelete, which names the kind
 * where other conflicts name the resource).
 */
function checkPreconditions(
  type: ResourceType,
  { metadata }: KubeObject,
  wanted: DeleteOptions["preconditions"],
): void {
  const { uid, resourceVersion } = wanted ?? {};
  const named = { ...type, plural: type.kind };
  if (uid && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(named, metadata.name, why);
  }
  if (resourceVersion && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(named, metadata.name, why);
  }
}

/**
 * Seconds that a pod has to end: from the deletion, by default its own; 0 when it never ran or has ended (podStrategy).
 * A negative value becomes one second (rest.BeforeDelete).
 */
function graceOf(type: ResourceType, object: KubeObject, asked: number | undefined): number {
  if (type.plural !== "pods" || type.group) return 0;
  const pod = object as Pod;
  if (!pod.spec.nodeName || isFinished(pod)) return 0;
  const told = asked ?? pod.spec.terminationGracePeriodSeconds ?? 30;
  const wanted = told < 0 ? 1 : told;
  return Math.max(0, Math.min(wanted, pod.metadata.deletionGracePeriodSeconds ?? wanted));
}

function heldBy(object: KubeObject, policy: DeleteOptions["propagationPolicy"]): string[] {
  const held = object.metadata.finalizers ?? [];
  return policy === "Foreground" && !held.includes(FOREGROUND) ? [...held, FOREGROUND] : held;
}

/** Marks an object as being deleted: its latest end, and the finalizers that keep it. */
function marked(type: ResourceType, object: KubeObject, grace: number, finalizers: string[], now: number): KubeObject {
  const { deletionTimestamp, deletionGracePeriodSeconds, generation } = object.metadata;
  const shorter = deletionTimestamp === undefined || grace < (deletionGracePeriodSeconds ?? 0);
  const times = shorter
    ? { deletionTimestamp: timestamp(now + grace * 1000), deletionGracePeriodSeconds: grace }
    : { deletionTimestamp, deletionGracePeriodSeconds };
  // A Namespace's own registry dates its deletion, without a grace (k8s pkg/registry/core/namespace/storage).
  if (isNamespace(type)) delete times.deletionGracePeriodSeconds;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      ...times,
      ...(generation && deletionTimestamp === undefined ? { generation: generation + 1 } : {}),
      ...(finalizers.length > 0 ? { finalizers } : {}),
    },
  };
}

/** Removes the owner from its dependents, so that they outlive it. */
function orphanDependents(objects: Objects, { metadata }: KubeObject): void {
  for (const type of resourceTypes.filter((one) => !one.virtual)) {
    for (const dependent of objects.list(type, metadata.namespace)) {
      const owners = dependent.metadata.ownerReferences ?? [];
      const others = owners.filter((owner) => owner.uid !== metadata.uid);
      if (others.length === owners.length) continue;
      objects.replace(type, { ...dependent, metadata: { ...dependent.metadata, ownerReferences: others } });
    }
  }
}

/** Builds the delete operation: preconditions, grace, finalizers, propagation. */
export const deletion =
  (simulation: Simulation, objects: Objects) =>
  ({ type, namespace, name }: Target, options: DeleteOptions = {}, admit?: Admission): Removal => {
    const object = objects.get(type, namespace, name);
    if (!object) throw notFound(type, name);
    checkPreconditions(type, object, options.preconditions);
    admit?.(object, undefined);
    const grace = graceOf(type, object, options.gracePeriodSeconds);
    const finalizers = heldBy(object, options.propagationPolicy);
    const gone = grace === 0 && finalizers.length === 0 && !isNamespace(type);
    if (options.dryRun?.includes("All")) return { object, gone };
    if (options.propagationPolicy === "Orphan") orphanDependents(objects, object);
    if (gone) return { object: objects.remove(type, object), gone };
    const leaving = marked(type, object, grace, finalizers, simulation.clock.now());
    const status = isNamespace(type) ? { status: { phase: "Terminating" } } : {};
    return { object: objects.replace(type, { ...leaving, ...status }), gone };
  };

/** Is this a namespace? Its controller empties and then deletes it. */
const isNamespace = (type: ResourceType): boolean => type.plural === "namespaces";
