import { EXPIRES, keys, REMINDERS, WAIT_PRESSES } from "../../records/ledger-table.ts";
import type { ReminderRecord, WaitHolder, WaitPress } from "../../records/reminders.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "./retention.ts";
import { tableClient } from "./table.ts";

/** Days for which a reminder is stored: longer than the pause between two. */
const KEPT_DAYS = 40;

/** Reminders of decisions and reviews that wait for a person, and who has them. */
export const reminders = (context: StepContext) => {
  const items = tableClient(context);
  const change = async (name: string, changeOf: (before: ReminderRecord) => ReminderRecord): Promise<void> => {
    const expires = expiryAfter(timestamp(context), KEPT_DAYS);
    await items.revise<ReminderRecord>(keys.reminder(name), (before = {}) => ({
      ...before,
      ...changeOf(before),
      [EXPIRES]: expires,
    }));
  };
  return {
    /** Reads what is known of the reminders of each wait, by the name of what waits. */
    all: async (): Promise<ReadonlyMap<string, ReminderRecord>> => {
      const found = await items.partition<ReminderRecord & { readonly sk: string }>(REMINDERS);
      return new Map(found.map(({ sk, ...reminder }) => [sk, reminder]));
    },

    /** Records that people were reminded now. */
    keep: (name: string): Promise<void> => change(name, () => ({ at: timestamp(context) })),

    /** Records the person who has what waits. */
    hold: (name: string, holder: WaitHolder): Promise<void> => change(name, () => ({ holder })),

    /** Records that a press was handled. */
    hear: ({ wait, userId, cause }: WaitPress): Promise<void> =>
      change(wait, ({ heard }) => ({ heard: { ...heard, [userId]: cause } })),

    /** Reads the last press of **I have it** of each person for each wait. */
    presses: (): Promise<WaitPress[]> => items.partition<WaitPress>(WAIT_PRESSES),
  };
};
