import { keys } from "../../ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { table } from "./table.ts";
import { without } from "./without.ts";

interface JoinSlots {
  /** Holders of the slots, with the time since when (ISO 8601). */
  readonly held: Readonly<Record<string, string>>;
}

const current = (held: Readonly<Record<string, string>>, now: number): Record<string, string> =>
  Object.fromEntries(Object.entries(held).filter(([, since]) => now - Date.parse(since) < HELD_AT_MOST_MS));

/**
 * OKD's own approver stops for all machines when about a hundred CSRs are pending, so Casement lets at most this many
 * machines join at once.
 */
export const UNREGISTERED_AT_ONCE = 20;

/** No machine is on its way for longer than all its deadlines together: a slot held longer was left by a lost execution. */
const HELD_AT_MOST_MS = 3 * 60 * 60_000;

/** The join slots: a bound across executions on the machines that start and have not registered yet. */
export const joinSlots = (context: StepContext) => {
  const items = table(context);
  return {
    /** Takes a slot among the machines that are not registered yet; false when all are taken. */
    take: async (owner: string): Promise<boolean> => {
      let granted = true;
      await items.revise<JoinSlots>(keys.registering, (before) => {
        const held = current(before?.held ?? {}, context.now());
        granted = owner in held || Object.keys(held).length < UNREGISTERED_AT_ONCE;
        return owner in held || !granted ? null : { held: { ...held, [owner]: timestamp(context) } };
      });
      return granted;
    },

    /** Gives the slot back; doing it twice does nothing. @returns whether it was held */
    giveBack: async (owner: string): Promise<boolean> => {
      let wasHeld = false;
      await items.revise<JoinSlots>(keys.registering, (before) => {
        wasHeld = before !== undefined && owner in before.held;
        return before && wasHeld ? { held: without(before.held, owner) } : null;
      });
      return wasHeld;
    },
  };
};
