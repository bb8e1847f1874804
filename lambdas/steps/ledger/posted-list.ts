import type { Key } from "../../records/ledger-table.ts";
import type { StepContext } from "../context.ts";
import { tableClient } from "./table.ts";

/**
 * Keeps what was posted about machines and has not ended, in one item that only the scheduled observation writes.
 * @param attribute name of the list in its item
 */
export const postedList = <Item>(context: StepContext, key: Key, attribute: string) => {
  const items = tableClient(context);
  return {
    /** Lists those that were posted and whose end was not. */
    posted: async (): Promise<readonly Item[]> =>
      (await items.read<Readonly<Record<string, readonly Item[]>>>(key))?.[attribute] ?? [],

    /** Records what was posted. */
    keep: (posted: readonly Item[]): Promise<void> => items.replace(key, { [attribute]: posted }),
  };
};
