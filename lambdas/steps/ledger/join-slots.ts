import { keys } from "../../records/ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { tableClient } from "./table.ts";

interface JoinSlots {
  /** Start of each holder's slot (ISO 8601). */
  readonly held: Readonly<Record<string, string>>;
}

const current = (held: Readonly<Record<string, string>>, now: number): Record<string, string> =>
  Object.fromEntries(Object.entries(held).filter(([, since]) => now - Date.parse(since) < HELD_AT_MOST_MS));

/**
 * Limit on the machines that join together: OKD's own approver stops for all machines at about a hundred pending CSRs.
 */
export const UNREGISTERED_AT_ONCE = 20;

/**
 * Milliseconds after which a slot is free again. All deadlines of a joining machine together are shorter, so its
 * execution was lost.
 */
const HELD_AT_MOST_MS = 3 * 60 * 60_000;

/** Limits, across all executions, how many machines start without being registered yet. */
export const joinSlots = (context: StepContext) => {
  const items = tableClient(context);
  return {
    /** Takes a slot for a machine that is not registered yet; false if all are taken. */
    take: async (owner: string): Promise<boolean> => {
      let granted = true;
      await items.revise<JoinSlots>(keys.registering, (before) => {
        const held = current(before?.held ?? {}, context.now());
        granted = owner in held || Object.keys(held).length < UNREGISTERED_AT_ONCE;
        return owner in held || !granted ? null : { held: { ...held, [owner]: timestamp(context) } };
      });
      return granted;
    },

    /** Releases the slot; repeating it has no effect. @returns true if it was held */
    giveBack: async (owner: string): Promise<boolean> => {
      let wasHeld = false;
      await items.revise<JoinSlots>(keys.registering, (before) => {
        const { [owner]: since, ...held } = before?.held ?? {};
        wasHeld = since !== undefined;
        return wasHeld ? { held } : null;
      });
      return wasHeld;
    },
  };
};
