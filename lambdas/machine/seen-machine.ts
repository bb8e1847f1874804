import type { BootCause } from "./boot-cause.ts";
import { answersHash, type RebootReason } from "./questions.ts";

/** A boot that Casement did not order, of which the channel is still to be told. */
export interface BootNews {
  /** Names the message: boots that were found together are told together. */
  readonly mark: string;
  readonly cause: BootCause;
  /** ISO 8601, by Casement's clock; null where the machine was not asked. */
  readonly bootedAt: string | null;
  /** Machines that were looked at together. */
  readonly of: number;
}

/** A machine as the scheduled look last saw it. Times are ISO 8601. */
export interface SeenMachine {
  readonly instanceId: string;
  readonly node: string;
  /** UID of the Node: a node that registered anew is another one. */
  readonly uid: string;
  readonly bootId: string;
  /** EC2 sets it anew when it starts a stopped instance (API reference, Instance: LaunchTime). */
  readonly launchedAt: string;
  /** Reasons for which Windows waited for a reboot. */
  readonly reasons: readonly RebootReason[];
  /** Time of the first look that found a reason, ISO 8601; null where it found none. */
  readonly dueSince: string | null;
  /** Last look that the machine answered. */
  readonly seenAt: string;
  readonly news?: BootNews;
}

/** Last reboot of a machine that an operation of Casement's ordered. */
export interface OwnReboot {
  readonly operation: string;
  /** ISO 8601: right before it was ordered. */
  readonly at: string;
  /** Boot that it led to; null while that is not known. */
  readonly bootId: string | null;
}

/** Findings of one look at a machine. */
export interface Sighting extends Pick<SeenMachine, "instanceId" | "node" | "uid" | "launchedAt"> {
  /** By the machine, or by its kubelet where the machine did not answer; null where neither said it. */
  readonly bootId: string | null;
  /** Null where the machine did not answer. */
  readonly reasons: readonly RebootReason[] | null;
}

/** Judgement of a sighting. */
export interface SightingJudgement {
  /** The record as it is to be written; null where nothing is known that is worth it. */
  readonly record: SeenMachine | null;
  readonly change: "none" | "own" | "foreign";
}

/** All reasons, in the order in which `observe.ps1` answers them. */
const everyReason: readonly RebootReason[] = ["servicing", "windows-update", "file-renames", "computer-name"];

const reasonsByHash: ReadonlyMap<string, readonly RebootReason[]> = new Map(
  Array.from({ length: 2 ** everyReason.length }, (_, bits) => {
    const reasons = everyReason.filter((_reason, at) => (bits & (1 << at)) !== 0);
    return [answersHash({ reasons }), reasons];
  }),
);

/**
 * Reads the reasons from the hash of the group `reboot`: there are so few answers that a list of many machines need not show them.
 * @returns undefined for a hash of another answer
 */
export const reasonsOf = (hash: string | undefined): readonly RebootReason[] | undefined =>
  hash === undefined ? undefined : reasonsByHash.get(hash);

/** Boot ids that are times may differ so much for the same boot: Windows computes the time of its boot anew after a clock step. */
const SAME_BOOT_MS = 5 * 60_000;

const isTime = (bootId: string): boolean => /^\d{4}-\d\d-\d\dT/.test(bootId);

/**
 * Puts a boot id that is a time, where Windows counts no boots, on Casement's clock.
 * @param clock the machine's own, Unix seconds
 * @param now milliseconds since the epoch
 */
export const onOurClock = (bootId: string, clock: number, now: number): string =>
  isTime(bootId) ? new Date(now - (clock * 1_000 - Date.parse(bootId))).toISOString() : bootId;

/** Tells whether two ids are of the same boot; a number and a time cannot be compared, and count as the same. */
export function isSameBoot(one: string, other: string): boolean {
  if (isTime(one) !== isTime(other)) return true;
  return isTime(one) ? Math.abs(Date.parse(one) - Date.parse(other)) <= SAME_BOOT_MS : one === other;
}

/** A look may be under way while a reboot is ordered. */
const OVERLAP_MS = 15 * 60_000;

/** Did this order lead to the boot that was found? */
function isOwnBoot(own: OwnReboot | undefined, before: SeenMachine, bootId: string): boolean {
  if (own === undefined) return false;
  if (own.bootId !== null) return isSameBoot(own.bootId, bootId);
  return Date.parse(own.at) >= Date.parse(before.seenAt) - OVERLAP_MS;
}

function changeOf(
  known: SeenMachine | undefined,
  own: OwnReboot | undefined,
  bootId: string,
): SightingJudgement["change"] {
  if (known === undefined || isSameBoot(known.bootId, bootId)) return "none";
  return isOwnBoot(own, known, bootId) ? "own" : "foreign";
}

/** Since when a reboot is due: a boot ends what was due before. */
function dueSinceOf(
  known: SeenMachine | undefined,
  { change, now }: { change: SightingJudgement["change"]; now: string },
): string {
  return (change === "none" ? known?.dueSince : null) ?? now;
}

/**
 * Compares a machine with how it was last seen. The first sight of a node changes nothing, and a node that registered anew is another one.
 * @param own the last reboot that Casement ordered
 * @param now ISO 8601
 */
export function judgeSighting(
  before: SeenMachine | undefined,
  own: OwnReboot | undefined,
  { bootId, reasons, ...seen }: Sighting,
  now: string,
): SightingJudgement {
  const known = before?.uid === seen.uid ? before : undefined;
  if (bootId === null) return { record: null, change: "none" };
  const change = changeOf(known, own, bootId);
  if (reasons === null) return { record: known && change === "own" ? { ...known, bootId } : null, change };
  const dueSince = reasons.length > 0 ? dueSinceOf(known, { change, now }) : null;
  const news = known?.news ? { news: known.news } : {};
  // The boot that it was before stays until the new one is to be told: a look that dies in between finds it again.
  const kept = change === "foreign" && known ? { bootId: known.bootId, launchedAt: known.launchedAt } : { bootId };
  return { record: { ...seen, ...kept, reasons, dueSince, seenAt: now, ...news }, change };
}

/** Reboot due, as far as the last look knows. */
export type RebootDue =
  | {
      readonly state: "due";
      readonly reasons: readonly RebootReason[];
      readonly since: string;
      readonly seenAt: string;
    }
  | { readonly state: "not-due"; readonly seenAt: string }
  /** The last look is too old to say it; null where there was none. */
  | { readonly state: "unknown"; readonly seenAt: string | null };

/** The look comes each half hour; what three of them have missed is not known any more. */
const FRESH_MS = 100 * 60_000;

/**
 * Says whether a node waits for a reboot.
 * @param uid of the Node
 * @param now milliseconds since the epoch
 */
export function rebootDue(seen: SeenMachine | undefined, uid: string, now: number): RebootDue {
  if (seen === undefined || seen.uid !== uid) return { state: "unknown", seenAt: null };
  const { seenAt, reasons, dueSince } = seen;
  if (now - Date.parse(seenAt) > FRESH_MS) return { state: "unknown", seenAt };
  return dueSince === null ? { state: "not-due", seenAt } : { state: "due", reasons, since: dueSince, seenAt };
}
