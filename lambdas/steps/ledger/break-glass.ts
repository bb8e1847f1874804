import { keys } from "../../ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { type BreakGlassUse, inTheWay } from "./break-glass-rules.ts";
import { table } from "./table.ts";

/** Everything that was done without an approval and was not reviewed, in one item: the bound holds across all executions. */
interface UsesItem {
  readonly uses: readonly BreakGlassUse[];
  readonly version?: number;
}

/** Uses of `--break-glass` that no approver has reviewed. */
export const breakGlass = (context: StepContext) => {
  const items = table(context);
  const open = async (): Promise<readonly BreakGlassUse[]> => (await items.read<UsesItem>(keys.breakGlass))?.uses ?? [];
  const change = async (revision: (uses: readonly BreakGlassUse[]) => readonly BreakGlassUse[]): Promise<void> => {
    await items.revise<UsesItem>(keys.breakGlass, (before) => ({ ...before, uses: revision(before?.uses ?? []) }));
  };

  return {
    /** Uses that were not reviewed, oldest first. */
    open,

    /**
     * Writes a use down, unless another one stands in the way; the same operation again is the same use.
     * @returns the one that stands in the way, or null
     * @throws Retryable when another use was written at the same moment
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

    /** Writes down that approvers were reminded now. */
    reminded: (operation: string): Promise<void> =>
      change((uses) =>
        uses.map((use) => (use.operation === operation ? { ...use, remindedAt: timestamp(context) } : use)),
      ),

    /** Takes a use off the list: it was reviewed. */
    close: (operation: string): Promise<void> => change((uses) => uses.filter((use) => use.operation !== operation)),
  };
};
