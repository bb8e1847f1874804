import type { KubeObject } from "../model/object.ts";
import { type ResourceType, resourceTypes } from "../model/resources.ts";
import { FOREGROUND } from "../registry/deletion.ts";
import type { Cluster, Controller, Key } from "./controller.ts";
import { keyOf } from "./controller.ts";

const stored = resourceTypes.filter(({ virtual }) => !virtual);

const isOwnedBy = (object: KubeObject, uid: string): boolean =>
  object.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;

/** Builds one collector per type: it deletes objects whose owner is gone, and a foreground deletion waits for that. */
export function garbageCollectors(cluster: Cluster): Controller[] {
  return stored.map((type) => garbageCollector(cluster, type));
}

function garbageCollector({ objects, registry }: Cluster, type: ResourceType): Controller {
  const dependentsOf = (owner: KubeObject, among = stored): { type: ResourceType; object: KubeObject }[] =>
    among.flatMap((one) =>
      objects
        .list(one, owner.metadata.namespace)
        .filter((object) => isOwnedBy(object, owner.metadata.uid))
        .map((object) => ({ type: one, object })),
    );

  const isOwnerless = ({ metadata }: KubeObject): boolean => {
    const owners = metadata.ownerReferences ?? [];
    const isGone = ({ apiVersion, kind, name, uid }: (typeof owners)[number]): boolean => {
      const owner = stored.find((one) => one.kind === kind && one.apiVersion === apiVersion);
      return owner !== undefined && objects.get(owner, metadata.namespace, name)?.metadata.uid !== uid;
    };
    return owners.length > 0 && owners.every(isGone);
  };

  const releaseOwner = (owner: KubeObject): void => {
    const dependents = dependentsOf(owner);
    for (const { type: kind, object } of dependents) {
      if (object.metadata.deletionTimestamp) continue;
      // An owner in the middle waits for its own dependents as well (attemptToDeleteItem of the garbage collector).
      const propagationPolicy = dependentsOf(object).length > 0 ? "Foreground" : "Background";
      registry.remove({ type: kind, ...keyOf(object) }, { propagationPolicy });
    }
    if (dependentsOf(owner).length > 0) return;
    const finalizers = (owner.metadata.finalizers ?? []).filter((one) => one !== FOREGROUND);
    registry.update({ type, ...keyOf(owner) }, (current) => ({
      ...current,
      metadata: { ...current.metadata, finalizers },
    }));
  };

  return {
    name: `garbage ${type.plural}.${type.group}`,
    type,
    concerns: ({ object, kind }) => {
      const owners = object.metadata.ownerReferences ?? [];
      const waiting: Key[] = owners
        .filter((owner) => owner.kind === type.kind && owner.apiVersion === type.apiVersion && kind === "DELETED")
        .map(({ name }) => ({ namespace: object.metadata.namespace, name }));
      const orphans = kind === "DELETED" ? dependentsOf(object, [type]).map((one) => keyOf(one.object)) : [];
      return [...waiting, ...orphans];
    },
    reconcile: ({ namespace, name }) => {
      const object = objects.get(type, namespace, name);
      if (!object) return undefined;
      if (object.metadata.finalizers?.includes(FOREGROUND) && object.metadata.deletionTimestamp) releaseOwner(object);
      else if (!object.metadata.deletionTimestamp && isOwnerless(object)) registry.remove({ type, namespace, name });
      return undefined;
    },
  };
}
