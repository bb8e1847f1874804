import { known, resourceTypes } from "../model/resources.ts";
import type { Cluster, Controller } from "./controller.ts";
import { keyOf } from "./controller.ts";

const namespaces = known("namespaces");
const accounts = known("serviceaccounts");
const maps = known("configmaps");
const ROOT_CA = "kube-root-ca.crt";
const rootDescription = {
  "kubernetes.io/description":
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
};
const SERVICE_CA = "openshift-service-ca.crt";
const serviceBundle = { "service.beta.openshift.io/inject-cabundle": "true" };
const contents = resourceTypes.filter(({ namespaced, virtual }) => namespaced && !virtual);

/** Milliseconds until a namespace that is not empty yet is checked again (assumed; pods take their grace). */
const AGAIN = 1_000;

/**
 * Milliseconds from a namespace's deletion to that of its contents, so that all API servers know of the first (k8s
 * pkg/controller/namespace namespaceDeletionGracePeriod; 5.1 s were measured).
 */
const DELAY = 5_000;

/**
 * Adds the default service account and the cluster's authority to every namespace, and empties one that is being
 * deleted.
 */
export function namespaceKeeper({ simulation, objects, registry, authority, distribution }: Cluster): Controller {
  const empty = (name: string): boolean => {
    for (const type of contents) {
      for (const object of objects.list(type, name)) {
        if (!object.metadata.deletionTimestamp) registry.remove({ type, ...keyOf(object) });
      }
    }
    return contents.every((type) => objects.list(type, name).length === 0);
  };
  const addMap = (
    namespace: string,
    name: string,
    annotations: Record<string, string>,
    data: Record<string, string>,
  ): void => {
    if (objects.get(maps, namespace, name)) return;
    objects.create(maps, { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, annotations }, data });
  };
  /**
   * Adds what kube-controller-manager (serviceaccount, rootcacertpublisher) and OpenShift's own (service-ca) put into
   * each namespace.
   */
  const addDefaults = (namespace: string): void => {
    if (!objects.get(accounts, namespace, "default")) {
      const metadata = { name: "default", namespace };
      objects.create(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata });
    }
    addMap(namespace, ROOT_CA, rootDescription, { "ca.crt": authority.pem });
    // The sandbox has no authority for Services: the cluster's own stands in its place.
    if (distribution === "openshift") addMap(namespace, SERVICE_CA, serviceBundle, { "service-ca.crt": authority.pem });
  };
  const knownSince = new Map<string, number>();
  /** The time from which a deleted namespace may be emptied. */
  const emptiedFrom = (uid: string): number => {
    const since = knownSince.get(uid) ?? simulation.clock.now();
    knownSince.set(uid, since);
    return since + DELAY;
  };
  return {
    name: "namespaces",
    type: namespaces,
    reconcile: ({ name }) => {
      const namespace = objects.get(namespaces, undefined, name);
      if (!namespace) return undefined;
      if (!namespace.metadata.deletionTimestamp) {
        addDefaults(name);
        return undefined;
      }
      const from = emptiedFrom(namespace.metadata.uid);
      if (simulation.clock.now() < from) return from;
      if (!empty(name)) return simulation.clock.now() + AGAIN;
      knownSince.delete(namespace.metadata.uid);
      objects.remove(namespaces, namespace);
      return undefined;
    },
  };
}
