import { known, resourceTypes } from "../model/resources.ts";
import type { Controller, Plane } from "./controller.ts";
import { keyOf } from "./controller.ts";

const namespaces = known("namespaces");
const accounts = known("serviceaccounts");
const contents = resourceTypes.filter(({ namespaced, virtual }) => namespaced && !virtual);

/** How soon a namespace that still holds something is looked at again (assumed; pods take their grace). */
const AGAIN = 1_000;

/** Gives every namespace its default service account, and empties one that is being deleted before it goes. */
export function namespaceKeeper({ foundation, objects, registry }: Plane): Controller {
  const empty = (name: string): boolean => {
    for (const type of contents) {
      for (const object of objects.list(type, name)) {
        if (!object.metadata.deletionTimestamp) registry.remove({ type, ...keyOf(object) });
      }
    }
    return contents.every((type) => objects.list(type, name).length === 0);
  };
  return {
    name: "namespaces",
    type: namespaces,
    reconcile: ({ name }) => {
      const namespace = objects.get(namespaces, undefined, name);
      if (!namespace) return undefined;
      if (!namespace.metadata.deletionTimestamp) {
        if (objects.get(accounts, name, "default")) return undefined;
        objects.create(accounts, {
          apiVersion: "v1",
          kind: "ServiceAccount",
          metadata: { name: "default", namespace: name },
        });
        return undefined;
      }
      if (!empty(name)) return foundation.clock.now() + AGAIN;
      objects.remove(namespaces, namespace);
      return undefined;
    },
  };
}
