import { type Bundle, type Given, givenItem } from "../desired/given.ts";
import { EXPIRES, keys, MACHINES } from "../ledger-table.ts";
import { type StepContext, timestamp } from "./context.ts";
import { expiryAfter } from "./ledger/retention.ts";
import { table } from "./ledger/table.ts";

/** Keeps in the ledger, and reads from it, the authorities that machines were given. */
export const given = (context: StepContext) => {
  const items = table(context);
  return {
    record: (instanceId: string, owner: string, bundle: Bundle): Promise<void> => {
      const { pk, sk, ...item } = givenItem(instanceId, owner, timestamp(context), bundle);
      return items.replace({ pk, sk }, item);
    },

    /** Of every machine. */
    all: (): Promise<Given[]> => items.all<Given>(MACHINES, "i-"),

    /**
     * Lets the items of machines that are gone expire as operations do, and takes the expiry from those of machines that
     * live. A machine that is missing from one listing by mistake gets its item back with the next one.
     * @param isGone of an instance, by its id
     */
    keepWhileMachinesLive: async (isGone: (instanceId: string) => boolean): Promise<void> => {
      const expires = expiryAfter(timestamp(context), context.settings.retentionDays);
      for (const { instanceId, ...item } of await items.all<Given & { readonly [EXPIRES]?: number }>(MACHINES, "i-")) {
        const key = keys.given(instanceId);
        const isExpiring = item[EXPIRES] !== undefined;
        if (isGone(instanceId) && !isExpiring) await items.change(key, { [EXPIRES]: expires });
        if (!isGone(instanceId) && isExpiring) await items.change(key, { instanceId }, [EXPIRES]);
      }
    },
  };
};
