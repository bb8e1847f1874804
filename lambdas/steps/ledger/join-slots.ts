import { keys } from "../../ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { table } from "./table.ts";

interface Places {
  /** Holders of the places, with the time since when (ISO 8601). */
  readonly held: Readonly<Record<string, string>>;
}

interface Reservations {
  /** Operation → how many nodes it is adding. */
  readonly adding: Readonly<Record<string, number>>;
}

const without = <T>(entries: Readonly<Record<string, T>>, key: string): Record<string, T> =>
  Object.fromEntries(Object.entries(entries).filter(([name]) => name !== key));

const current = (held: Readonly<Record<string, string>>, now: number): Record<string, string> =>
  Object.fromEntries(Object.entries(held).filter(([, since]) => now - Date.parse(since) < HELD_AT_MOST_MS));

/**
 * OKD's own approver stops for all machines when about a hundred CSRs are pending, so Casement lets at most this many
 * machines join at once.
 */
export const UNREGISTERED_AT_ONCE = 20;

/** No machine is on its way for longer than all its deadlines together: a place held longer was left by a lost execution. */
const HELD_AT_MOST_MS = 3 * 60 * 60_000;

/** Bounds that hold across executions: machines on their way in, and nodes a pool has promised. */
export const places = (context: StepContext) => {
  const items = table(context);
  return {
    /** Takes a place among the machines that are not registered yet; false when all are taken. */
    take: async (owner: string): Promise<boolean> => {
      let granted = true;
      await items.revise<Places>(keys.registering, (before) => {
        const held = current(before?.held ?? {}, context.now());
        granted = owner in held || Object.keys(held).length < UNREGISTERED_AT_ONCE;
        return owner in held || !granted ? null : { held: { ...held, [owner]: timestamp(context) } };
      });
      return granted;
    },

    /** Gives the place back; doing it twice does nothing. @returns whether it was held */
    giveBack: async (owner: string): Promise<boolean> => {
      let wasHeld = false;
      await items.revise<Places>(keys.registering, (before) => {
        wasHeld = before !== undefined && owner in before.held;
        return before && wasHeld ? { held: without(before.held, owner) } : null;
      });
      return wasHeld;
    },

    /**
     * Promises nodes of a pool to an operation, unless its maximum would be passed.
     * @param existing the operation that launched each of the pool's nodes (null: not known)
     * @returns how many nodes the pool has and has promised to others, and whether these were promised too
     */
    reserve: async (
      pool: { readonly name: string; readonly maximum: number },
      operation: string,
      count: number,
      existing: readonly (string | null)[],
    ): Promise<{ before: number; granted: boolean }> => {
      let answer = { before: 0, granted: false };
      await items.revise<Reservations>(keys.pool(pool.name), (item) => {
        const others = without(item?.adding ?? {}, operation);
        const standing = existing.filter(
          (launcher) => launcher === null || !(launcher in others || launcher === operation),
        );
        const before = standing.length + Object.values(others).reduce((sum, more) => sum + more, 0);
        answer = { before, granted: before + count <= pool.maximum };
        return answer.granted && count > 0 ? { adding: { ...others, [operation]: count } } : null;
      });
      return answer;
    },

    /** The operation has ended: what it launched counts by itself from now on. */
    closeReservation: async (pool: string, operation: string): Promise<void> => {
      await items.revise<Reservations>(keys.pool(pool), (item) =>
        item && operation in item.adding ? { adding: without(item.adding, operation) } : null,
      );
    },
  };
};
