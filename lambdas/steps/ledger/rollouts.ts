import { keys } from "../../records/ledger-table.ts";
import type { Rollout } from "../../records/rollout.ts";
import type { StepContext } from "../context.ts";
import { tableClient } from "./table.ts";

/** Rollouts by their operation: nodes, settings, and the approved plan. */
export const rollouts = (context: StepContext) => {
  const items = tableClient(context);
  return {
    /** Writes a rollout unless it exists, because a repeated step must not erase its course. */
    insert: (operation: string, rollout: Rollout): Promise<"first" | "again"> =>
      items.insert(keys.rollout(operation), rollout),

    /** The rollout of an operation; undefined until its plan may be carried out. */
    read: (operation: string): Promise<Rollout | undefined> => items.read<Rollout>(keys.rollout(operation)),

    /** Changes fields of a rollout. Only the execution that works on it may do so. */
    change: (operation: string, fields: Partial<Rollout>): Promise<void> =>
      items.change(keys.rollout(operation), fields),
  };
};
