import { keys } from "../../records/ledger-table.ts";
import type { StepContext } from "../context.ts";
import { tableClient } from "./table.ts";

interface Reservations {
  /** Number of nodes that each operation is adding. */
  readonly adding: Readonly<Record<string, number>>;
}

/** Reserves nodes of pools for operations, so that a pool's maximum holds across executions. */
export const reservations = (context: StepContext) => {
  const items = tableClient(context);
  return {
    /**
     * Reserves nodes of a pool for an operation, unless that exceeds the pool's maximum.
     * @param existing the operation that launched each of the pool's nodes (null if not known)
     * @returns the number of existing nodes and other operations' reservations, and whether these nodes were reserved
     */
    reserve: async (
      pool: { readonly name: string; readonly maximum: number },
      operation: string,
      count: number,
      existing: readonly (string | null)[],
    ): Promise<{ before: number; granted: boolean }> => {
      let answer = { before: 0, granted: false };
      await items.revise<Reservations>(keys.pool(pool.name), (item) => {
        const { [operation]: _own, ...others } = item?.adding ?? {};
        const standing = existing.filter(
          (launcher) => launcher === null || !(launcher in others || launcher === operation),
        );
        const before = standing.length + Object.values(others).reduce((sum, more) => sum + more, 0);
        answer = { before, granted: before + count <= pool.maximum };
        return answer.granted && count > 0 ? { adding: { ...others, [operation]: count } } : null;
      });
      return answer;
    },

    /** Removes the reservation of an operation that has ended; its nodes are now among the pool's existing ones. */
    close: async (pool: string, operation: string): Promise<void> => {
      await items.revise<Reservations>(keys.pool(pool), (item) => {
        const { [operation]: own, ...adding } = item?.adding ?? {};
        return own === undefined ? null : { adding };
      });
    },
  };
};
