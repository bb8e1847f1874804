import type { DrainRefusal, HoldUp } from "../../messages/node/drain.ts";
import type { Lease } from "../ledger/leases.ts";
import type { DrainOptions } from "./filters.ts";

/** A drain under way, as its workflow knows it. */
export interface DrainOrder {
  readonly node: { readonly name: string; readonly uid: string };
  readonly held: Lease;
  readonly options: DrainOptions;
  /** Milliseconds since the epoch: the one deadline, which no eviction and no pause passes. */
  readonly deadline: number;
  /** Milliseconds since the epoch before which nothing is evicted: load balancers are to take the node out first. */
  readonly notBefore: number;
  /** False once the operation was cancelled. */
  readonly mayGoOn: () => Promise<boolean>;
}

/** Volumes that may still be attached: those that stayed too long, or all, because they cannot be listed. */
export type VolumesLeft = { readonly attached: readonly string[] } | { readonly unreadable: string };

/** End of a drain, or of the time for it. */
export type DrainEnd =
  /** No pod to evict was on the node for five seconds, and their volumes are detached unless `volumes` says otherwise. */
  | { readonly kind: "drained"; readonly volumes?: VolumesLeft }
  /** There is no such Node any more. */
  | { readonly kind: "node-gone" }
  /** The node takes pods. */
  | { readonly kind: "uncordoned" }
  /** Losses that the options do not allow; nothing was evicted since they were seen. */
  | { readonly kind: "refused"; readonly refusals: readonly DrainRefusal[] }
  /** The deadline has passed. */
  | { readonly kind: "late"; readonly holdUps: readonly HoldUp[]; readonly wouldDelete: readonly string[] };
