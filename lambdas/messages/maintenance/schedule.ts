import type { Block, Message } from "../../records/records.ts";
import type { WindowSpan } from "../../time/maintenance.ts";
import type { Timing } from "../../time/timing.ts";
import { typeThis } from "../command/syntax.ts";
import { section } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, plain } from "../slack/text.ts";
import { slotTimes, zonedTime } from "./times.ts";

/** Beginning of an operation, as messages name it. */
export interface ShownTiming {
  readonly timing: Timing;
  readonly timeZone: string;
  /** Pool of its nodes; null for nodes of none. */
  readonly pool: string | null;
  /** A person asked for this date. */
  readonly isDate: boolean;
  /** Reason for which the next slot is not waited for; null where it is waited for, or one is open. */
  readonly now: string | null;
}

const whose = (pool: string | null): string => (pool === null ? "" : ` of pool ${code(pool)}`);

const laterLine = ({ timing, timeZone, pool, isDate }: ShownTiming): string[] => {
  if (timing.kind !== "later") return [];
  const { from, until } = timing;
  if (isDate)
    return [`${sign.scheduled} *Begins at ${zonedTime(from, timeZone)}*, as requested. Approve it in advance or then.`];
  const first = `${sign.scheduled} *Waits for the next maintenance${whose(pool)}*: ${slotTimes(from, until, timeZone)}.`;
  return [
    `${first} Approve it in advance or then. Who may use break-glass does not wait with ${code('--now "reason"')}.`,
  ];
};

const nowLine = ({ timing, timeZone, pool, now }: ShownTiming): string[] => {
  if (now !== null) return [`${sign.warning} *Outside of the maintenance${whose(pool)}*, because: ${plain(now, 200)}.`];
  if (timing.kind !== "now" || timing.until === null) return [];
  return [
    `${sign.scheduled} The maintenance${whose(pool)} ends at ${zonedTime(timing.until, timeZone)}. What was not rebooted or terminated by then is put back, and waits for the next one.`,
  ];
};

/** Blocks of a plan's card that say when it begins; none where it begins at once and no window ends it. */
export function timingBlocks(shown: ShownTiming): Block[] {
  return [...laterLine(shown), ...nowLine(shown)].map(section);
}

/** A dry run with when its work would begin. */
export const withTime = (message: Message, shown: ShownTiming): Message => {
  const [first, ...rest] = message.blocks;
  return { ...message, blocks: [...(first ? [first] : []), ...timingBlocks(shown), ...rest] };
};

/** State of an operation that waits for its time. */
export type WaitingState =
  | { readonly kind: "approved" | "not needed" }
  /** It waits for its approval too. */
  | { readonly kind: "undecided" }
  /** Its slot has ended; `why` says what had not happened by then. */
  | { readonly kind: "moved"; readonly why: string }
  /** A freeze or a hold keeps it; it is tried again. */
  | { readonly kind: "stopped"; readonly why: string };

/** A wait as its message tells it. */
export interface ShownWait {
  readonly from: number;
  readonly until: number | null;
  readonly timeZone: string;
  readonly pool: string | null;
  readonly isDate: boolean;
}

const waitWords = ({ from, until, timeZone, pool, isDate }: ShownWait): string =>
  isDate ? zonedTime(from, timeZone) : `the maintenance${whose(pool)}: ${slotTimes(from, until, timeZone)}`;

const JUDGED_AGAIN = "The plan is judged again then, and needs another approval only if it got worse.";

/** State of an operation that waits for its time, for message and ledger. */
export function scheduledSummary(state: WaitingState, wait: ShownWait, id: string): string {
  const withdraw = `To withdraw it: ${typeThis("cancel", id)}.`;
  if (state.kind === "stopped")
    return `Held up: ${state.why}. It is tried again every 15 minutes until its time is over. ${withdraw}`;
  if (state.kind === "undecided") return `Waits for its approval, and for ${waitWords(wait)}. ${withdraw}`;
  const moved = state.kind === "moved" ? `${state.why} ` : "";
  return `${moved}Waits for ${waitWords(wait)}. ${JUDGED_AGAIN} ${withdraw}`;
}

/** State of an operation for which there is no slot in sight; it is looked for every day. */
export const noWindowSummary = (why: string, id: string): string =>
  `${why} There is no maintenance in the next 35 days: freeze dates of the configuration leave none. It is looked for again every day. To withdraw it: ${typeThis("cancel", id)}.`;

/** Reasons why an operation is put off to the next slot. */
export const movedWhy = {
  unapproved: "No approval came before its time was over.",
  late: "It could not begin before its time was over.",
  closed: (left: string): string => `The maintenance was over before the work was done: ${left}.`,
} as const;

/** Reason that keeps an operation at a time that is not its own, as a sentence. */
export const heldUpNow = (why: string): string => `Held up now: ${why}.`;

/** Outcome of a node that was put back because its slot has ended. @param left its state, as a clause */
export const restoredText = (left: string): string => `put back, because the maintenance was over: ${left}`;

/** Ends of operations that never began. */
export const neverBegan = {
  cancelled: (userId: string): string => `Cancelled by <@${userId}> while it waited. Nothing was changed.`,
  missed: (again: string): string =>
    `Its time passed before it could begin, and its pool has no maintenance windows. Nothing was changed. Ask again: ${again}`,
  tooLong: (again: string): string =>
    `It waited for 35 days and did not begin. Nothing was changed. Ask again: ${again}`,
} as const;

/** Explains how a date is typed. */
export const unreadableDate = (typed: string, option: "at" | "until"): string =>
  `${code(typed)} is no time: type a day and a time such as ${code(`--${option} "Sat 02:00"`)}, or a date such as ${code(`--${option} "2026-11-28 02:00"`)}.`;

/** Mistake: a time that has passed. */
export const pastDate = (at: number, timeZone: string): string =>
  `${zonedTime(at, timeZone)} has passed. Name a time that is to come.`;

/** Mistake: a time that is too far ahead. */
export const farDate = (at: number, timeZone: string, days: number): string =>
  `${zonedTime(at, timeZone)} is too far ahead: at most ${days} days.`;

/** Mistake: a date and a reason not to wait for one. */
export const dateAndNow = "--at names a time, and --now and --break-glass wait for none: use one of them.";

const nextOne = (slot: WindowSpan | null, timeZone: string): string =>
  slot ? `The next one is ${slotTimes(slot.from, slot.until, timeZone)}` : "There is none in the next 35 days";

/** Refusal: the date that was asked for is outside of the maintenance. */
export const outsideMaintenance = (
  at: number,
  pool: string | null,
  slot: WindowSpan | null,
  timeZone: string,
): string =>
  `${zonedTime(at, timeZone)} is outside of the maintenance${whose(pool)}. ${nextOne(slot, timeZone)}. Name a time in it, or leave --at out`;

/** Refusal: nothing may be disturbed within the horizon. */
export const noMaintenance = (pool: string | null): string =>
  `there is no maintenance${whose(pool)} in the next 35 days: freeze dates of the configuration leave none. Who may use break-glass does not wait with ${code('--now "reason"')}`;
