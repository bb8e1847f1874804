import type { Simulation } from "../../core/simulation.ts";
import type { User } from "../access/users.ts";
import { ApiFailure } from "../model/failure.ts";

/**
 * Milliseconds after a start in which an API server has not read all roles and bindings, and after which it has filled its caches. A
 * server of 1.36 without load answered 403 for 58 to 266 ms and then 429 for 12 to 28 ms; a cluster with more objects is assumed to
 * need longer.
 */
const STARTING = { refuses: 1_500, fills: 3_000 };

/** Name of the fault. */
const KIND = "kubernetes-starts";

/** Does another authoriser than RBAC, or none, judge this user (kube-apiserver's --authorization-mode=Node,RBAC)? */
const needsNoRole = ({ name, groups }: User): boolean =>
  groups.includes("system:masters") || name.startsWith("system:node:");

/** Builds the refusal of a list or watch whose cache is not filled yet (k8s.io/apiserver/pkg/storage/cacher/cacher.go). */
const initializing = (): ApiFailure =>
  new ApiFailure(429, "TooManyRequests", "storage is (re)initializing", { retryAfterSeconds: 1 });

/** The answers of an API server that has just started. The fault `kubernetes-starts` starts it at the next request that matches. */
export const startingServer = ({ clock, faults, store }: Simulation) => {
  const started = store.collection<number>("kubernetes-start");
  const age = (): number => clock.now() - (started.get("at") ?? Number.NEGATIVE_INFINITY);

  return {
    /**
     * Judges a request by the time since the last start.
     * @param denial the refusal of a user without rights
     * @throws ApiFailure 403 before roles and bindings are read, 429 before caches are filled
     */
    check: (verb: string, user: User, facts: Readonly<Record<string, string>>, denial: () => ApiFailure): void => {
      if (age() >= STARTING.fills && faults.applies(KIND, facts)) started.set("at", clock.now());
      if (age() < STARTING.refuses && !needsNoRole(user)) throw denial();
      if (age() < STARTING.fills && age() >= STARTING.refuses && ["list", "watch"].includes(verb)) throw initializing();
    },
  };
};
