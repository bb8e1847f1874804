import { EXPIRES, keys, REMINDERS } from "../../records/ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "./retention.ts";
import { tableClient } from "./table.ts";

/** Days for which a reminder is stored: longer than the pause between two. */
const KEPT_DAYS = 40;

interface Reminder {
  readonly at: string;
  readonly [EXPIRES]: number;
}

/** Reminders of decisions and reviews that wait for a person. */
export const reminders = (context: StepContext) => {
  const items = tableClient(context);
  return {
    /** Time of each last reminder (ISO 8601), by the name of what waits. */
    last: async (): Promise<ReadonlyMap<string, string>> => {
      const found = await items.partition<Reminder & { readonly sk: string }>(REMINDERS);
      return new Map(found.map(({ sk, at }) => [sk, at]));
    },

    /** Records that people were reminded now. */
    keep: async (name: string): Promise<void> => {
      const at = timestamp(context);
      await items.revise<Reminder>(keys.reminder(name), () => ({ at, [EXPIRES]: expiryAfter(at, KEPT_DAYS) }));
    },
  };
};
