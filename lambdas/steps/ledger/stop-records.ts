import { EXPIRES, keys, STOPS } from "../../records/ledger-table.ts";
import type { Stop, StopTarget } from "../../time/stops.ts";
import type { FrontDoorContext } from "../context.ts";
import { tableClient } from "./table.ts";

/**
 * Name of a stop's item. A freeze and a hold of the same pool have different names, because different commands lift
 * them.
 */
const nameOf = (kind: Stop["kind"], target: StopTarget): string => {
  if (target.kind === "cluster") return `${kind}#cluster`;
  return target.kind === "pool" ? `${kind}#pool#${target.pool}` : `${kind}#node#${target.uid}`;
};

/** Freezes and holds in the ledger; an expired one is treated as absent. */
export const stopRecords = (context: Pick<FrontDoorContext, "clients" | "settings" | "now">) => {
  const items = tableClient(context);
  return {
    /** Lists every stop that is in force. */
    all: (): Promise<Stop[]> => items.partition<Stop>(STOPS),

    /** Writes a stop; one of the same kind and target is replaced. */
    put: async (stop: Stop): Promise<void> => {
      const expires = stop.until === null ? {} : { [EXPIRES]: Math.ceil(Date.parse(stop.until) / 1_000) };
      await items.revise<Stop>(keys.stop(nameOf(stop.kind, stop.target)), () => ({ ...stop, ...expires }));
    },

    /**
     * Lifts a stop by letting its item expire now.
     * @returns the stop that was in force; undefined if there was none
     */
    end: async (kind: Stop["kind"], target: StopTarget): Promise<Stop | undefined> => {
      const key = keys.stop(nameOf(kind, target));
      const before = await items.read<Stop>(key);
      if (before) await items.change(key, { [EXPIRES]: Math.floor(context.now() / 1_000) });
      return before;
    },
  };
};
