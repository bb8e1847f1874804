import { dateOf, nowOf, type Request } from "../../commands/request.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { Refused, UserError } from "../../errors.ts";
import {
  dateAndNow,
  farDate,
  noMaintenance,
  outsideMaintenance,
  pastDate,
  type ShownTiming,
  unreadableDate,
} from "../../messages/maintenance/schedule.ts";
import type { ApprovalBasis } from "../../records/approval.ts";
import type { OperationRecord } from "../../records/records.ts";
import type { Steps } from "../../steps/steps.ts";
import { calendarOf, zoneOf } from "../../time/calendar.ts";
import { typedMoment } from "../../time/dates.ts";
import { type Calendar, HORIZON_DAYS, windowFrom } from "../../time/maintenance.ts";
import { type Timing, timingOf } from "../../time/timing.ts";
import { DAY_MS } from "../../time/zones.ts";
import type { Execution } from "./op.ts";
import { cancelledBy, checkNow } from "./requester.ts";

/** Days ahead that a person may name: a plan for a later day would be outdated. */
const MOST_DAYS_AHEAD = 14;

/** The work whose time is judged. */
export interface TimedWork {
  /** Pool of its nodes; null for nodes that belong to none. */
  readonly pool: string | null;
  /** All of its nodes are out of service already, so it need not wait for a window. */
  readonly isRecovery: boolean;
}

/** Judgement of when work may begin, by the newest configuration. */
export interface When extends ShownTiming {
  /** The end of the window cancels it. */
  readonly isBound: boolean;
  /** The person who cancelled it while it waited. */
  readonly cancelledBy: string | null;
  /** The window for which it waited has ended. Named "slot" in the stored results of running executions. */
  readonly isSlotOver: boolean;
  /** It has waited too long and is given up. */
  readonly isTooOld: boolean;
}

const NO_WINDOWS: Calendar = { windows: [], freezes: [] };

/** Parses the typed date. @throws UserError for one that is unreadable, past or too far ahead */
function dateAsked(typed: string, requestedAt: string, pool: string | null, configuration: Configuration) {
  const timeZone = zoneOf(configuration, pool);
  const moment = typedMoment(typed, Date.parse(requestedAt), timeZone, MOST_DAYS_AHEAD);
  if (moment.kind === "unreadable") throw new UserError(unreadableDate(typed, "at"));
  if (moment.kind === "past") throw new UserError(pastDate(moment.at, timeZone));
  if (moment.kind === "far") throw new UserError(farDate(moment.at, timeZone, MOST_DAYS_AHEAD));
  return moment.at;
}

/** @throws Refused, with the next window, when a date is outside of the maintenance windows */
function checkInside(at: number, calendar: Calendar, pool: string | null, timeZone: string): void {
  const window = windowFrom(calendar, at);
  if (!window?.isOpen) throw new Refused(outsideMaintenance(at, pool, window, timeZone));
}

interface RequestedTime {
  readonly notBefore: number | null;
  readonly isDate: boolean;
}

/** The operation whose time is judged, and the configuration that judges it. */
interface TimeFacts {
  readonly record: OperationRecord;
  readonly request: Request;
  readonly pool: string | null;
  readonly configuration: Configuration;
}

/** Finds the date for which the operation waits: typed by a person, or stored in the ledger. */
function requestedTime({ record, request, pool, configuration }: TimeFacts, calendar: Calendar): RequestedTime {
  const { scheduled, requestedAt } = record;
  if (scheduled) return { notBefore: Date.parse(scheduled.from), isDate: scheduled.isDate };
  const typed = dateOf(request);
  if (typed === null) return { notBefore: null, isDate: false };
  if (nowOf(request) !== null) throw new UserError(dateAndNow);
  const at = dateAsked(typed, requestedAt, pool, configuration);
  checkInside(at, calendar, pool, zoneOf(configuration, pool));
  return { notBefore: at, isDate: true };
}

/** Would it have to wait for a maintenance window? */
const isClosed = (calendar: Calendar, now: number): boolean => windowFrom(calendar, now)?.isOpen !== true;

/**
 * Judges when work may begin, by the newest configuration and the requested date. Belongs into a step.
 * @throws UserError for an invalid date; Refused for a date outside of the maintenance windows, and if there is no
 * window at all; Forbidden for `--now` without the permission
 */
export async function judgeTime(execution: Execution, { pool, isRecovery }: TimedWork): Promise<When> {
  const { steps, start } = execution;
  const record = await steps.ledger.operation(start.operation);
  if (!record) throw new Error(`the ledger does not hold ${start.operation}`);
  const { configuration } = await steps.runtime.read(null);
  const now = steps.now();
  const reason = nowOf(start.request);
  const calendar = calendarOf(configuration, pool);
  const isOutside = reason !== null && isClosed(calendar, now);
  const isBound = reason === null && !isRecovery;
  const held = isBound ? calendar : NO_WINDOWS;
  const { notBefore, isDate } = requestedTime({ record, request: start.request, pool, configuration }, held);
  if (isOutside) await checkNow(execution, pool);
  const timing = timingOf({ calendar: held, now, notBefore, isDate });
  if (timing.kind === "never" && !record.scheduled) throw new Refused(noMaintenance(pool));
  return {
    ...{ timing, pool, isDate, isBound, timeZone: zoneOf(configuration, pool), now: isOutside ? reason : null },
    cancelledBy: await cancelledBy(steps, start.operation),
    isSlotOver: now >= Date.parse(record.scheduled?.until ?? "9999-12-31"),
    isTooOld: now - Date.parse(record.requestedAt) > HORIZON_DAYS * DAY_MS,
  };
}

/** Time options of a request, to which an approval is bound. */
export const timeOptions = (request: Request): ApprovalBasis["options"] => ({
  ...(dateOf(request) === null ? {} : { at: dateOf(request) }),
  ...("now" in request && request.now ? { now: true } : {}),
});

/** End of the window in which work begins now; null if no window binds the work. */
export const windowEnd = ({ timing, isBound }: Pick<When, "timing" | "isBound">): number | null =>
  isBound && timing.kind === "now" ? timing.until : null;

/** Judges when work in a pool may begin, by the newest configuration. Belongs into a step. */
export async function nextTiming(steps: Steps, pool: string | null): Promise<{ timing: Timing; timeZone: string }> {
  const { configuration } = await steps.runtime.read(null);
  const calendar = calendarOf(configuration, pool);
  const timing = timingOf({ calendar, now: steps.now(), notBefore: null, isDate: false });
  return { timing, timeZone: zoneOf(configuration, pool) };
}
