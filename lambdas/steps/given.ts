import { type Bundle, type Given, givenItem } from "../desired/given.ts";
import { MACHINES } from "../ledger-table.ts";
import { table } from "./ledger/table.ts";
import { timestamp, type World } from "./world.ts";

/** Keeps in the ledger, and reads from it, the authorities that machines were given. */
export const given = (world: World) => {
  const items = table(world);
  return {
    record: (instanceId: string, owner: string, bundle: Bundle): Promise<void> => {
      const { pk, sk, ...item } = givenItem(instanceId, owner, timestamp(world), bundle);
      return items.replace({ pk, sk }, item);
    },

    /** Of every machine. */
    all: (): Promise<Given[]> => items.all<Given>(MACHINES, "i-"),
  };
};
