import type { DrainRefusal, HoldUp } from "../../messages/node/drain.ts";
import type { Lease } from "../ledger/leases.ts";
import type { DrainOptions } from "./filters.ts";

/** A running drain, as its workflow knows it. */
export interface DrainOrder {
  readonly node: { readonly name: string; readonly uid: string };
  readonly held: Lease;
  readonly options: DrainOptions;
  /** Milliseconds since the epoch: the drain's deadline, which no eviction and no pause passes. */
  readonly deadline: number;
  /** Milliseconds since the epoch before which no pod is evicted, so that load balancers take the node out first. */
  readonly notBefore: number;
  /** False once the operation is cancelled. */
  readonly mayGoOn: () => Promise<boolean>;
}

/** Volumes that may still be attached: those that stayed too long, or the reason why they cannot be listed. */
export type VolumesLeft = { readonly attached: readonly string[] } | { readonly unreadable: string };

/** End of a drain, or of its time. */
export type DrainEnd =
  /** The node had no pod to evict for five seconds, and the volumes are detached unless `volumes` says otherwise. */
  | {
      readonly kind: "drained";
      readonly volumes?: VolumesLeft;
      /** Finished pods that only a finalizer keeps, each with its finalizers. */
      readonly kept?: readonly string[];
    }
  /** The Node no longer exists. */
  | { readonly kind: "node-gone" }
  /** The node accepts pods again. */
  | { readonly kind: "uncordoned" }
  /** Losses that the options do not allow; no pod was evicted after they were found. */
  | { readonly kind: "refused"; readonly refusals: readonly DrainRefusal[] }
  /** The deadline has passed. */
  | { readonly kind: "late"; readonly holdUps: readonly HoldUp[]; readonly wouldDelete: readonly string[] };
