import { keys } from "../../records/ledger-table.ts";
import type { Stray } from "../../records/stray.ts";
import type { StepContext } from "../context.ts";
import { tableClient } from "./table.ts";

/** The machines that were posted as strays, in one item: only the scheduled look writes it. */
export const strays = (context: StepContext) => {
  const items = tableClient(context);
  return {
    /** Lists those that were posted and whose end was not. */
    posted: async (): Promise<readonly Stray[]> =>
      (await items.read<{ readonly strays: readonly Stray[] }>(keys.strays))?.strays ?? [],

    /** Records what was posted. */
    keep: (posted: readonly Stray[]): Promise<void> => items.replace(keys.strays, { strays: posted }),
  };
};
