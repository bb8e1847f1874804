import { keys } from "../../records/ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { type BreakGlassUse, inTheWay } from "./break-glass-rules.ts";
import { tableClient } from "./table.ts";

/** All unreviewed changes without an approval, in one item, so that the limit holds across all executions. */
interface UsesItem {
  readonly uses: readonly BreakGlassUse[];
  readonly version?: number;
}

/** Records uses of `--break-glass` that no approver has reviewed. */
export const breakGlass = (context: StepContext) => {
  const items = tableClient(context);
  const open = async (): Promise<readonly BreakGlassUse[]> => (await items.read<UsesItem>(keys.breakGlass))?.uses ?? [];
  const change = async (revision: (uses: readonly BreakGlassUse[]) => readonly BreakGlassUse[]): Promise<void> => {
    await items.revise<UsesItem>(keys.breakGlass, (before) => ({ ...before, uses: revision(before?.uses ?? []) }));
  };

  return {
    /** Lists the unreviewed uses, oldest first. */
    open,

    /**
     * Records a use, unless another one blocks it. The same operation again is the same use.
     * @returns the use that blocks it, or null
     * @throws Retryable if another use was written at the same time
     */
    use: async (asked: Omit<BreakGlassUse, "at">): Promise<BreakGlassUse | null> => {
      let obstacle: BreakGlassUse | null = null;
      await items.revise<UsesItem>(keys.breakGlass, (before) => {
        const uses = before?.uses ?? [];
        if (uses.some(({ operation }) => operation === asked.operation)) return null;
        obstacle = inTheWay(uses, asked);
        return obstacle ? null : { ...before, uses: [...uses, { ...asked, at: timestamp(context) }] };
      });
      return obstacle;
    },

    /** Records that approvers were reminded now. */
    reminded: (operation: string): Promise<void> =>
      change((uses) =>
        uses.map((use) => (use.operation === operation ? { ...use, remindedAt: timestamp(context) } : use)),
      ),

    /** Removes a use that was reviewed. */
    close: (operation: string): Promise<void> => change((uses) => uses.filter((use) => use.operation !== operation)),
  };
};
