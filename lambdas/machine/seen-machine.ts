import { observedMarks, type SeenMarks } from "../cluster/deletion-marks.ts";
import type { BootCause } from "./boot-cause.ts";
import { isSameBoot } from "./boots.ts";
import { chronicOf, type ProvenReboot } from "./chronic-reasons.ts";
import { observedRepairs, type RepairWatch } from "./guard-repairs.ts";
import { type Answers, answersHash, type Group, type ProxyPlace, type RebootReason } from "./questions.ts";
import type { RenewalFault } from "./renewal.ts";
import { type MachineTrouble, observedTroubles, postedTroubles, type SeenTrouble } from "./seen-troubles.ts";

/** A boot that Casement did not order, and that is not posted in the channel yet. */
export interface BootNews {
  /** Names the message, which lists all boots that were found together. */
  readonly mark: string;
  readonly cause: BootCause;
  /** ISO 8601, by Casement's clock; null if the machine was not asked. */
  readonly bootedAt: string | null;
  /** Number of machines that were observed together. */
  readonly of: number;
}

/** State of a machine at its last scheduled observation. Times are ISO 8601. */
export interface SeenMachine {
  readonly instanceId: string;
  readonly node: string;
  /** UID of the Node; a node that registered again is another node. */
  readonly uid: string;
  readonly bootId: string;
  /** Launch time in EC2, which changes when EC2 starts a stopped instance (API reference, Instance: LaunchTime). */
  readonly launchedAt: string;
  /** Reasons why Windows needed a reboot. */
  readonly reasons: readonly RebootReason[];
  /** Reasons that the last reboot did not end; missing without one. */
  readonly chronic?: readonly RebootReason[];
  /** Last reboot that an operation of Casement has proven; missing before the first. */
  readonly reboot?: ProvenReboot;
  /** The first file that waits for the next boot; missing without one. */
  readonly file?: string;
  /** Time of the first observation that found a reason; null without a reason. */
  readonly dueSince: string | null;
  /** Last observation that the machine answered. */
  readonly seenAt: string;
  /** The SSM agent's proxy, if the machine reaches AWS only by it; missing without one. */
  readonly proxiedBy?: readonly ProxyPlace[];
  /** Fault of the renewal of ECR's passwords, since the first observation that found one; missing without one. */
  readonly renewalFault?: RenewalFault & { readonly since: string };
  readonly news?: BootNews;
  /** Identity of the proxy's content for which a reboot was offered. */
  readonly offered?: string;
  /** Marks of autoscalers and of WMCO on the Node; missing without one. */
  readonly marks?: SeenMarks;
  /** Troubles of its services, its routes and its drive; missing without one. */
  readonly troubles?: readonly SeenTrouble[];
  /** Repairs of the route guard; missing until an observation has counted them. */
  readonly repairs?: RepairWatch;
}

/** Last reboot of a machine that an operation of Casement ordered. */
export interface OwnReboot {
  readonly operation: string;
  /** ISO 8601: time right before the order. */
  readonly at: string;
  /** Boot that followed; null until it is known. */
  readonly bootId: string | null;
}

/** Result of one scheduled observation of a machine. */
export interface Sighting extends Pick<SeenMachine, "instanceId" | "node" | "uid" | "launchedAt"> {
  /** From the machine, or from its kubelet if the machine did not answer; null if neither reported it. */
  readonly bootId: string | null;
  /** Null if the machine did not answer. */
  readonly reasons: readonly RebootReason[] | null;
  /** The first file that waits for the next boot; missing without one. */
  readonly file?: string;
  /** Boots of the machine are not of interest: its pool switches that off. */
  readonly isBootIgnored?: true;
  /** Troubles of its services and its drive; missing if the machine did not say. */
  readonly troubles?: readonly MachineTrouble[];
  /** Repairs of the route guard since its installation; missing if the machine did not say. */
  readonly repairs?: number;
  /** Names the observation, unique across executions. */
  readonly mark?: string;
  /** Missing if the machine did not answer, or could not read them. */
  readonly proxiedBy?: readonly ProxyPlace[];
  /** Keys of the marks of autoscalers and of WMCO on the Node; missing without one. */
  readonly marks?: readonly string[];
  /** Null if passwords of ECR are renewed, or need not be; missing if that is not known. */
  readonly renewalFault?: RenewalFault | null;
}

/** Judgement of a sighting. */
export interface SightingJudgement {
  /** The record to write; null if there is nothing to write. */
  readonly record: SeenMachine | null;
  readonly change: "none" | "own" | "foreign";
}

/** Every selection of a list's members, in its order, by the hash of the answer that has it. */
const selectionsByHash = <T>(all: readonly T[], answerOf: (some: readonly T[]) => Answers[Group]) =>
  new Map(
    Array.from({ length: 2 ** all.length }, (_, bits) => {
      const some = all.filter((_one, at) => (bits & (1 << at)) !== 0);
      return [answersHash(answerOf(some)), some] as const;
    }),
  );

const placesByHash = selectionsByHash<ProxyPlace>(["service", "machine"], (proxiedBy) => ({ proxiedBy }));

/** Finds the places that belong to a hash of the group `agent`. @returns undefined for the hash of another answer */
export const proxyPlacesOf = (hash: string | undefined): readonly ProxyPlace[] | undefined =>
  placesByHash.get(hash ?? "");

/** Milliseconds by which an order may precede an observation that was running at that time. */
const OVERLAP_MS = 15 * 60_000;

/** Did Casement's last order cause the boot that was found? */
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

/** Time since which a reboot is due; a boot resets it. */
function dueSinceOf(
  known: SeenMachine | undefined,
  { change, now }: { change: SightingJudgement["change"]; now: string },
): string {
  return (change === "none" ? known?.dueSince : null) ?? now;
}

const proxyOf = (places: readonly ProxyPlace[] = []): Pick<SeenMachine, "proxiedBy"> =>
  places.length > 0 ? { proxiedBy: places } : {};

const marksOf = (marks: SeenMarks): Pick<SeenMachine, "marks"> => (Object.keys(marks).length > 0 ? { marks } : {});

/** Fields of the record about reboots: the last proven one, what it did not end, and the file that waits for the next. */
function rebootsOf(
  known: SeenMachine | undefined,
  reasons: readonly RebootReason[],
  { file, now }: { readonly file: string | undefined; readonly now: string },
): Pick<SeenMachine, "chronic" | "reboot" | "file"> {
  const chronic = chronicOf(known ?? {}, reasons, Date.parse(now));
  return {
    ...(chronic.length > 0 ? { chronic } : {}),
    ...(known?.reboot ? { reboot: known.reboot } : {}),
    ...(file === undefined ? {} : { file }),
  };
}

/** Boot and reasons that a machine reported when its reboot was proven. */
export type ProvenSighting = Pick<Sighting, "file"> & Pick<SeenMachine, "bootId" | "reasons">;

/**
 * The record of a machine after a proven reboot of Casement: its reasons until then are what the reboot was to end.
 * @param now ISO 8601
 */
export function afterProof(before: SeenMachine, { bootId, reasons, file }: ProvenSighting, now: string): SeenMachine {
  const { chronic: _chronic, file: _file, ...rest } = before;
  const reboots = rebootsOf({ ...before, reboot: { reasons: before.reasons, at: now } }, reasons, { file, now });
  return { ...rest, ...reboots, bootId, reasons, dueSince: reasons.length > 0 ? now : null, seenAt: now };
}

const troublesOf = (troubles: readonly SeenTrouble[]): Pick<SeenMachine, "troubles"> =>
  troubles.length > 0 ? { troubles } : {};

/** Fields of the record about troubles: those that one observation shows, and the one that several of them show. */
function troublesSeen(
  known: SeenMachine | undefined,
  { troubles: found, repairs, mark = "" }: Sighting,
  now: string,
): Pick<SeenMachine, "troubles" | "repairs"> {
  const { watch, many } = observedRepairs(known?.repairs, repairs, now);
  const all = found && [...found, ...(many > 0 ? [{ kind: "routes-lost", times: many } as const] : [])];
  return {
    ...troublesOf(observedTroubles(known?.troubles, { found: all, mark, now })),
    ...(watch ? { repairs: watch } : {}),
  };
}

/**
 * The record once a trouble, or its end, was posted.
 * @param name as `troubleName` has it
 * @returns null if the machine has no trouble
 */
export function withPostedTrouble({ troubles, ...rest }: SeenMachine, name: string, ts: string): SeenMachine | null {
  return troubles ? { ...rest, ...troublesOf(postedTroubles(troubles, name, ts)) } : null;
}

/** The record of a machine that did not answer; null if nothing changes. The Node shows its marks nevertheless. */
function unanswered(known: SeenMachine | undefined, bootId: string | null, marked: SeenMarks): SeenMachine | null {
  if (!known) return null;
  const { marks = {}, ...rest } = known;
  const isSame = Object.keys(marks).join() === Object.keys(marked).join();
  if (bootId === null && isSame) return null;
  return { ...rest, ...(bootId === null ? {} : { bootId }), ...marksOf(marked) };
}

/** Fault of the renewal: another one of the same machine goes on since the first. */
function renewalOf(
  before: SeenMachine | undefined,
  fault: Sighting["renewalFault"],
  now: string,
): Pick<SeenMachine, "renewalFault"> {
  const had = before?.renewalFault;
  if (fault === null || (fault === undefined && !had)) return {};
  return { renewalFault: fault ? { ...fault, since: had?.since ?? now } : had };
}

/**
 * Compares a machine with its last observation. The first observation of a node is no change, and a node that
 * registered again is another node.
 * @param own the last reboot that Casement ordered
 * @param now ISO 8601
 */
export function judgeSighting(
  before: SeenMachine | undefined,
  own: OwnReboot | undefined,
  sighting: Sighting,
  now: string,
): SightingJudgement {
  const { bootId, reasons, file, isBootIgnored, proxiedBy, renewalFault, marks } = sighting;
  const { instanceId, node, uid, launchedAt } = sighting;
  const seen = { instanceId, node, uid, launchedAt };
  const known = before?.uid === seen.uid ? before : undefined;
  const marked = observedMarks(known?.marks, marks, now);
  if (bootId === null) return { record: unanswered(known, null, marked), change: "none" };
  const change = isBootIgnored ? "none" : changeOf(known, own, bootId);
  if (reasons === null) return { record: unanswered(known, change === "own" ? bootId : null, marked), change };
  const dueSince = reasons.length > 0 ? dueSinceOf(known, { change, now }) : null;
  const news = known?.news ? { news: known.news } : {};
  const offered = known?.offered === undefined ? {} : { offered: known.offered };
  const lasting = {
    ...rebootsOf(known, reasons, { file, now }),
    ...proxyOf(proxiedBy ?? before?.proxiedBy),
    ...renewalOf(before, renewalFault, now),
    ...marksOf(marked),
    ...troublesSeen(known, sighting, now),
  };
  // The old boot id stays until the news is recorded, so that the next observation finds the boot again after a crash.
  const kept = change === "foreign" && known ? { bootId: known.bootId, launchedAt: known.launchedAt } : { bootId };
  return { record: { ...seen, ...kept, reasons, dueSince, seenAt: now, ...lasting, ...news, ...offered }, change };
}
