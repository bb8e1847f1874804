const MINUTE_MS = 60_000;

/** Milliseconds until the first reminder of a wait. */
const REMIND_AFTER_MS = 15 * MINUTE_MS;

/** Milliseconds between later reminders of a wait. */
export const REMIND_EVERY_MS = 24 * 60 * MINUTE_MS;

/** Milliseconds until further reminders of an urgent wait, before those of each day. */
const URGENT_AFTER_MS: readonly number[] = [30 * MINUTE_MS, 90 * MINUTE_MS];

/** Milliseconds for which the person who has a wait keeps its reminders silent. */
const SILENT_FOR_MS = 60 * MINUTE_MS;

/** Press of **I have it** under a call, as the front door records it. */
export interface WaitPress {
  /** Name of the wait. */
  readonly wait: string;
  readonly userId: string;
  /** Slack's trigger id: a repeated delivery is the same press. */
  readonly cause: string;
  /** ISO 8601. */
  readonly at: string;
  /** The call's message. */
  readonly channel: string;
  readonly messageTs: string;
}

/** Is this the name of a wait, which ends with the time since when it waits? */
export const isWaitName = (text: string): boolean => / \d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text);

/** Person who has a wait. Times are ISO 8601. */
export interface WaitHolder {
  readonly userId: string;
  readonly since: string;
  /** End of the silence. */
  readonly until: string;
}

/** Record of the reminders of one wait, in the ledger. */
export interface ReminderRecord {
  /** ISO 8601: the last reminder; missing before the first. */
  readonly at?: string;
  readonly holder?: WaitHolder;
  /** Cause of the last press of each person that was handled. */
  readonly heard?: Readonly<Record<string, string>>;
}

/**
 * Is a reminder of a wait due?
 * @param since ISO 8601: begin of the wait
 * @param last ISO 8601: the last reminder; undefined before the first
 * @param now milliseconds since the epoch
 * @param isSoon reminds again after 30 and 90 minutes
 */
export function isReminderDue(since: string, last: string | undefined, now: number, isSoon = false): boolean {
  const begin = Date.parse(since);
  if (last === undefined) return now - begin >= REMIND_AFTER_MS;
  const isAgainDue = URGENT_AFTER_MS.some((after) => now - begin >= after && Date.parse(last) - begin < after);
  return (isSoon && isAgainDue) || now - Date.parse(last) >= REMIND_EVERY_MS;
}

/** Was there a reminder before, so that the next one calls those on call too? @param since ISO 8601 */
export const isRemindedAgain = (since: string, now: number): boolean =>
  now - Date.parse(since) >= (URGENT_AFTER_MS[0] ?? REMIND_EVERY_MS);

/** Person who has the wait now; undefined if nobody has, or the silence is over. @param now milliseconds since the epoch */
export const holderAt = (reminder: ReminderRecord | undefined, now: number): WaitHolder | undefined =>
  reminder?.holder && now < Date.parse(reminder.holder.until) ? reminder.holder : undefined;

/**
 * Is a reminder due of a wait that a person may have? While one has it, none is; when the silence ends, one is.
 * @param now milliseconds since the epoch
 */
export function isWaitDue(
  { since, isUrgent }: { readonly since: string; readonly isUrgent: boolean },
  reminder: ReminderRecord | undefined,
  now: number,
): boolean {
  const { at, holder } = reminder ?? {};
  if (holderAt(reminder, now)) return false;
  if (holder && (at === undefined || at < holder.until)) return true;
  return isReminderDue(since, at, now, isUrgent);
}

/** Was this press of **I have it** handled? */
export const isHeard = ({ userId, cause }: WaitPress, reminder: ReminderRecord | undefined): boolean =>
  reminder?.heard?.[userId] === cause;

/** Makes the person who pressed the holder for an hour. Who has it already keeps the time since when. */
export function holderBy(
  { userId, at }: Pick<WaitPress, "userId" | "at">,
  before: ReminderRecord | undefined,
): WaitHolder {
  const now = Date.parse(at);
  const known = holderAt(before, now);
  const since = known?.userId === userId ? known.since : at;
  return { userId, since, until: new Date(now + SILENT_FOR_MS).toISOString() };
}
