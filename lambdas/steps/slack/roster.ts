import type { Directory } from "../../commands/membership.ts";
import { keys } from "../../ledger-table.ts";
import { table } from "../ledger/table.ts";
import type { DoorWorld } from "../world.ts";

/** Six ticks of the schedule that reads it: whoever left a group since then must not stay in it for ever. */
const COUNTS_FOR_MS = 30 * 60_000;

/** Last known facts of the people who hold roles. */
export const directory = (world: DoorWorld) => {
  const items = table(world);
  return {
    /** Undefined when it was never written or is too old to be believed. */
    read: async (): Promise<Directory | undefined> => {
      const known = await items.read<Directory>(keys.directory);
      return known && world.now() - Date.parse(known.readAt) < COUNTS_FOR_MS ? known : undefined;
    },

    write: (known: Directory): Promise<void> => items.replace(keys.directory, known),
  };
};
