import type { FaultKind, FaultValues } from "../../core/faults.ts";
import { resourceTypes } from "../model/resources.ts";

/** Milliseconds for which "kubernetes-slow" holds a request: longer than most clients' patience (assumed). */
export const SLOWNESS = 20_000;

/** Fields that the `match` of a fault of the API server may name. */
export const fields = {
  verb: "get, list, watch, create, update, patch, delete or deletecollection.",
  resource: "Plural name, with a subresource after a slash: nodes, pods/eviction.",
  name: "Name of the object.",
  namespace: "Namespace of the object.",
  node: "Name of the Node that the request is for.",
  principal: "User name of who asks.",
};

/**
 * Lists every value that a field of `match` can have.
 * @param paths of requests for no resource, which name themselves: /version
 */
export const valuesOf = (paths: readonly string[]): FaultValues => ({
  verb: ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"],
  resource: [
    ...resourceTypes.flatMap(({ plural, subresources }) => [plural, ...subresources.map((one) => `${plural}/${one}`)]),
    ...paths,
  ],
});

const sentences: Readonly<Record<string, string>> = {
  "kubernetes-5xx": "The API server answers 503 Service Unavailable.",
  "kubernetes-throttle":
    "The API server answers 429 with Retry-After: 1, as its fairness queues do when they are full.",
  "kubernetes-slow": "The API server takes 20 seconds to answer.",
  "kubernetes-starts":
    "The API server starts at this request: for 1.5 seconds it answers 403 to every account, then 429 to lists and watches for 1.5 seconds.",
};

/** Faults of the API server that can be injected. */
export const apiFaults = (values: FaultValues): FaultKind[] =>
  Object.entries(sentences).map(([kind, sentence]) => ({ kind, sentence, fields, values }));
