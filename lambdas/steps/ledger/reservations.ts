import { keys } from "../../ledger-table.ts";
import type { StepContext } from "../context.ts";
import { table } from "./table.ts";
import { without } from "./without.ts";

interface Reservations {
  /** Operation → how many nodes it is adding. */
  readonly adding: Readonly<Record<string, number>>;
}

/** Nodes that pools have promised to operations: a bound that holds across executions. */
export const reservations = (context: StepContext) => {
  const items = table(context);
  return {
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
    close: async (pool: string, operation: string): Promise<void> => {
      await items.revise<Reservations>(keys.pool(pool), (item) =>
        item && operation in item.adding ? { adding: without(item.adding, operation) } : null,
      );
    },
  };
};
