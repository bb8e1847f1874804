/** The part of the fleet that a stop protects from changes: one node, one pool, or the whole cluster. */
export type StopTarget =
  | { readonly kind: "cluster" }
  | { readonly kind: "pool"; readonly pool: string }
  | { readonly kind: "node"; readonly uid: string; readonly name: string };

/** A freeze or a hold in force: Casement disturbs nothing that it covers. */
export interface Stop {
  readonly kind: "freeze" | "hold";
  readonly target: StopTarget;
  readonly reason: string;
  /** Name of the person, or the object with the annotation. */
  readonly by: string;
  /** ISO 8601; null for an annotation, which has no time. */
  readonly at: string | null;
  /** ISO 8601; null for a stop that ends only when a person lifts it. */
  readonly until: string | null;
  /** Set for freeze dates of the configuration: operations on the nodes that they cover wait for their end. */
  readonly isConfigured?: true;
}

/** A node's UID and pool, by which a stop covers it. */
export interface StoppedPlace {
  readonly uid: string | null;
  readonly pool: string | null;
}

/** Does a stop cover a node? */
export const covers = ({ target }: Stop, { uid, pool }: StoppedPlace): boolean => {
  if (target.kind === "cluster") return true;
  return target.kind === "pool" ? target.pool === pool : target.uid === uid;
};

/**
 * Finds the stop that covers a node. A stop of the node itself comes first, then one of its pool, then one of the
 * cluster.
 * @returns null if there is none
 */
export const stopFor = (stops: readonly Stop[], place: StoppedPlace): Stop | null => {
  const found = stops.filter((stop) => covers(stop, place));
  const nearest = (kind: StopTarget["kind"]) => found.find(({ target }) => target.kind === kind);
  return nearest("node") ?? nearest("pool") ?? nearest("cluster") ?? null;
};

const MINUTES = { m: 1, h: 60, d: 1_440 } as const;

/** Longest duration of a stop in minutes, because people forget longer ones. */
const MOST = 30 * MINUTES.d;

/**
 * Reads a duration as people type it.
 * @param typed "90m", "4h" or "2d"
 * @returns minutes, at most 30 days; null for any other text
 */
export function minutesIn(typed: string): number | null {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(typed.trim().toLowerCase()) ?? [];
  const minutes = Number(count) * MINUTES[unit as keyof typeof MINUTES];
  return minutes >= 1 && minutes <= MOST ? minutes : null;
}
