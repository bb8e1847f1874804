import { keys } from "../../ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { table } from "./table.ts";

interface Turn {
  /** ARN of the execution. */
  readonly execution: string;
  readonly since: string;
}

/** Turns of work that two executions must not do at once. */
export const turns = (context: StepContext) => {
  const items = table(context);
  return {
    /** The execution that swept last, or sweeps now. */
    lastSweep: async (): Promise<string | undefined> => (await items.read<Turn>(keys.sweepTurn))?.execution,

    /**
     * Takes the turn over from an execution that has ended.
     * @returns false when another one was faster
     */
    takeSweep: async (execution: string, from: string | undefined): Promise<boolean> => {
      const turn = await items.revise<Turn>(keys.sweepTurn, (before) =>
        before?.execution === from ? { execution, since: timestamp(context) } : null,
      );
      return turn?.execution === execution;
    },
  };
};
