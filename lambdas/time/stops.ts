/** The part of the fleet that a stop keeps changes away from: one node, one pool, or the whole cluster. */
export type StopTarget =
  | { readonly kind: "cluster" }
  | { readonly kind: "pool"; readonly pool: string }
  | { readonly kind: "node"; readonly uid: string; readonly name: string };

/** A freeze or a hold in force: Casement disturbs nothing that it covers. */
export interface Stop {
  readonly kind: "freeze" | "hold";
  readonly target: StopTarget;
  readonly reason: string;
  /** Name of the person, or the object whose annotation says so. */
  readonly by: string;
  /** ISO 8601; null for an annotation, which does not say it. */
  readonly at: string | null;
  /** ISO 8601; null until it is taken off. */
  readonly until: string | null;
  /** Set for freeze dates of the configuration: what they cover waits for their end. */
  readonly isConfigured?: true;
}

/** A node as stops mean it. */
export interface StoppedPlace {
  readonly uid: string | null;
  readonly pool: string | null;
}

/** Does a stop keep changes away from a node? */
export const covers = ({ target }: Stop, { uid, pool }: StoppedPlace): boolean => {
  if (target.kind === "cluster") return true;
  return target.kind === "pool" ? target.pool === pool : target.uid === uid;
};

/**
 * Finds the stop that keeps a change away from a node; one of the node itself counts first, one of the cluster last.
 * @returns null when there is none
 */
export const stopFor = (stops: readonly Stop[], place: StoppedPlace): Stop | null => {
  const found = stops.filter((stop) => covers(stop, place));
  const nearest = (kind: StopTarget["kind"]) => found.find(({ target }) => target.kind === kind);
  return nearest("node") ?? nearest("pool") ?? nearest("cluster") ?? null;
};

const MINUTES = { m: 1, h: 60, d: 1_440 } as const;

/** Minutes for which a stop may be asked: longer ones are forgotten. */
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
