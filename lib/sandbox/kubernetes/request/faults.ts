import type { FaultKind } from "../../core/faults.ts";

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

/** Faults of the API server that can be injected. */
export const kinds: readonly FaultKind[] = [
  { kind: "kubernetes-5xx", sentence: "The API server answers 503 Service Unavailable.", fields },
  {
    kind: "kubernetes-throttle",
    sentence: "The API server answers 429 with Retry-After: 1, as its fairness queues do when they are full.",
    fields,
  },
  { kind: "kubernetes-slow", sentence: "The API server takes 20 seconds to answer.", fields },
  {
    kind: "kubernetes-starts",
    sentence:
      "The API server starts at this request: for 1.5 seconds it answers 403 to every account, then 429 to lists and watches for 1.5 seconds.",
    fields,
  },
];
