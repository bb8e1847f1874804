import { keys, type TurnOf } from "../../records/ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { tableClient } from "./table.ts";

interface Turn {
  /** ARN of the execution. */
  readonly execution: string;
  readonly since: string;
}

/** Turns for work that two executions must not do together. */
export const turns = (context: StepContext) => {
  const items = tableClient(context);
  return {
    /** The execution that does the work now, or did it last. */
    last: async (of: TurnOf): Promise<string | undefined> => (await items.read<Turn>(keys.turn(of)))?.execution,

    /**
     * Takes the turn over from an execution that has ended.
     * @returns false if another execution took it first
     */
    take: async (of: TurnOf, execution: string, from: string | undefined): Promise<boolean> => {
      const turn = await items.revise<Turn>(keys.turn(of), (before) =>
        before?.execution === from ? { execution, since: timestamp(context) } : null,
      );
      return turn?.execution === execution;
    },
  };
};
