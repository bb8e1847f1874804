/** A machine of a pool that no operation works on and that is not a full node. */
export interface Stray {
  /** "no-node": it runs and has no Node. "stopped": nor does it run. "starting": its Node still carries the start-up taint. */
  readonly kind: "no-node" | "stopped" | "starting";
  readonly instanceId: string;
  /** Name of its Node; null without one. */
  readonly node: string | null;
  readonly pool: string | null;
}

/** Identifies a stray among those that were posted. */
export const strayName = ({ kind, instanceId }: Stray): string => `${kind} ${instanceId}`;
