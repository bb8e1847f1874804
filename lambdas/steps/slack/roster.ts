import type { Roster } from "../../commands/membership.ts";
import { keys } from "../../records/ledger-table.ts";
import type { FrontDoorContext } from "../context.ts";
import { tableClient } from "../ledger/table.ts";

/**
 * Milliseconds for which the roster is valid: six ticks of the schedule that writes it, so that a person who has left a
 * group loses the role even if the schedule fails.
 */
const VALID_FOR_MS = 30 * 60_000;

/** The roster as the ledger stores it. The attribute keeps the name that running versions read. */
type Item = Pick<Roster, "groups" | "readAt"> & {
  readonly standings: Roster["memberships"];
  /** Missing in an item of the last release. */
  readonly unreadablePools?: Roster["unreadablePools"];
};

/** Stores the last known facts about the people who have roles. */
export const roster = (context: FrontDoorContext) => {
  const items = tableClient(context);
  return {
    /** Reads the roster; undefined if it was never written or has expired. */
    read: async (): Promise<Roster | undefined> => {
      const item = await items.read<Item>(keys.directory);
      if (!item || context.now() - Date.parse(item.readAt) >= VALID_FOR_MS) return undefined;
      const { standings: memberships, groups, unreadablePools = [], readAt } = item;
      return { groups, memberships, unreadablePools, readAt };
    },

    write: ({ memberships: standings, ...known }: Roster): Promise<void> =>
      items.replace(keys.directory, { ...known, standings } satisfies Item),
  };
};
