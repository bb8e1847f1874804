/** A machine of a pool that no operation works on and that is not a full node. */
export interface Stray {
  /** "no-node": it runs and has no Node. "starting": its Node still carries the start-up taint. */
  readonly kind: "no-node" | "starting";
  readonly instanceId: string;
  /** Name of its Node; null without one. */
  readonly node: string | null;
  readonly pool: string | null;
}

/** Differences between two looks. */
export interface StrayNews {
  readonly began: readonly Stray[];
  readonly ended: readonly Stray[];
  /** Those that were posted and have not ended. */
  readonly posted: readonly Stray[];
}

const nameOf = ({ kind, instanceId }: Stray): string => `${kind} ${instanceId}`;

/**
 * Compares what a look found with what was posted. A machine that an operation works on is not posted, and has not ended
 * either: the operation may fail.
 * @param found whether an operation works on them or not
 * @param busy ids of the machines that an operation works on
 */
export function strayNews(posted: readonly Stray[], found: readonly Stray[], busy: ReadonlySet<string>): StrayNews {
  const [known, now] = [new Set(posted.map(nameOf)), new Set(found.map(nameOf))];
  const began = found.filter((one) => !known.has(nameOf(one)) && !busy.has(one.instanceId));
  const open = posted.filter((one) => now.has(nameOf(one)));
  return { began, ended: posted.filter((one) => !now.has(nameOf(one))), posted: [...open, ...began] };
}
