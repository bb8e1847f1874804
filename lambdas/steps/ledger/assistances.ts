import type { Assistance } from "../../desired/assistance.ts";
import { ASSISTED, EXPIRES, keys } from "../../ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "./retention.ts";
import { table } from "./table.ts";

/** The approvals by which machines of other owners are assisted. */
export const assistances = (context: StepContext) => {
  const items = table(context);
  const read = (instanceId: string) => items.read<Assistance>(keys.assisted(instanceId));
  const over = (): number => Math.floor(context.now() / 1_000);

  return {
    /** Every one in the ledger. */
    all: (): Promise<Assistance[]> => items.all<Assistance>(ASSISTED, "i-"),

    /** The one of a machine; undefined where there is none. */
    of: read,

    /** Writes one down; another one of the same machine is replaced. */
    write: async (assistance: Assistance): Promise<void> => {
      await items.revise<Assistance>(keys.assisted(assistance.instanceId), () => assistance);
    },

    /** Ends the assistance of a machine, whoever had asked for it. */
    end: async (instanceId: string): Promise<void> => {
      if (await read(instanceId)) await items.change(keys.assisted(instanceId), { [EXPIRES]: over() });
    },

    /**
     * Lets the items of machines that are gone expire as operations do, and takes the expiry from those of machines that live.
     * @param isGone of an instance, by its id
     */
    keepWhileMachinesLive: async (isGone: (instanceId: string) => boolean): Promise<void> => {
      const expires = expiryAfter(timestamp(context), context.settings.retentionDays);
      for (const { instanceId, ...item } of await items.all<Assistance & { readonly [EXPIRES]?: number }>(
        ASSISTED,
        "i-",
      )) {
        const isExpiring = item[EXPIRES] !== undefined;
        if (isGone(instanceId) && !isExpiring) await items.change(keys.assisted(instanceId), { [EXPIRES]: expires });
        if (!isGone(instanceId) && isExpiring) await items.change(keys.assisted(instanceId), { instanceId }, [EXPIRES]);
      }
    },
  };
};
