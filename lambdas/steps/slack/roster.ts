import type { Roster } from "../../commands/membership.ts";
import { keys } from "../../ledger-table.ts";
import type { FrontDoorContext } from "../context.ts";
import { table } from "../ledger/table.ts";

/** Six ticks of the schedule that reads it: a person who left a group since then must not stay in it for ever. */
const COUNTS_FOR_MS = 30 * 60_000;

/** The roster as the ledger holds it: the attribute keeps the name that running versions read. */
type Item = Omit<Roster, "memberships"> & { readonly standings: Roster["memberships"] };

/** Last known facts of the people who hold roles. */
export const roster = (context: FrontDoorContext) => {
  const items = table(context);
  return {
    /** Undefined when it was never written or is too old to be believed. */
    read: async (): Promise<Roster | undefined> => {
      const item = await items.read<Item>(keys.directory);
      if (!item || context.now() - Date.parse(item.readAt) >= COUNTS_FOR_MS) return undefined;
      const { standings: memberships, groups, readAt } = item;
      return { groups, memberships, readAt };
    },

    write: ({ memberships: standings, groups, readAt }: Roster): Promise<void> =>
      items.replace(keys.directory, { groups, standings, readAt } satisfies Item),
  };
};
