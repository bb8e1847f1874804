import type { RebootReason } from "./questions.ts";
import type { SeenMachine } from "./seen-machine.ts";

/** Reasons that the last reboot did not end, so that another one is no cure. */
export interface ChronicReasons {
  readonly reasons: readonly RebootReason[];
  /** Time of that reboot's proof, ISO 8601; null where it is not recorded. */
  readonly rebootedAt: string | null;
  /** The first file that waits for the next boot; null without one. */
  readonly file: string | null;
}

/** Does the machine need a reboot, according to its last observation? */
export type RebootDue =
  | {
      readonly state: "due";
      readonly reasons: readonly RebootReason[];
      /** Missing where another reboot helps. */
      readonly chronic?: ChronicReasons;
      readonly since: string;
      readonly seenAt: string;
    }
  | { readonly state: "not-due"; readonly seenAt: string }
  /** The last observation is too old; `seenAt` is null if there was none. */
  | { readonly state: "unknown"; readonly seenAt: string | null };

/** Milliseconds for which an observation is valid. Observations run every half hour, so three of them may fail. */
const FRESH_MS = 100 * 60_000;

/** Is the last observation of a machine recent enough to be believed? @param now milliseconds since the epoch */
export const isSeenLately = ({ seenAt }: Pick<SeenMachine, "seenAt">, now: number): boolean =>
  now - Date.parse(seenAt) <= FRESH_MS;

/**
 * Decides whether a node needs a reboot, from its last observation.
 * @param uid of the Node
 * @param now milliseconds since the epoch
 */
export function rebootDue(seen: SeenMachine | undefined, uid: string, now: number): RebootDue {
  if (seen === undefined || seen.uid !== uid) return { state: "unknown", seenAt: null };
  const { seenAt, reasons, dueSince, chronic = [], reboot, file = null } = seen;
  if (!isSeenLately(seen, now)) return { state: "unknown", seenAt };
  if (dueSince === null) return { state: "not-due", seenAt };
  const due = { state: "due", reasons, since: dueSince, seenAt } as const;
  return chronic.length > 0 ? { ...due, chronic: { reasons: chronic, rebootedAt: reboot?.at ?? null, file } } : due;
}
