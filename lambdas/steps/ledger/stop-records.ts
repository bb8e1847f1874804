import type { Stop, StopTarget } from "../../desired/stops.ts";
import { EXPIRES, keys, STOPS } from "../../ledger-table.ts";
import type { FrontDoorContext } from "../context.ts";
import { table } from "./table.ts";

/** Name of a stop's item: a freeze and a hold of the same pool are taken off by their own commands. */
const nameOf = (kind: Stop["kind"], target: StopTarget): string => {
  if (target.kind === "cluster") return `${kind}#cluster`;
  return target.kind === "pool" ? `${kind}#pool#${target.pool}` : `${kind}#node#${target.uid}`;
};

/** Freezes and holds as the ledger has them; one whose time is over counts as absent. */
export const stopRecords = (context: Pick<FrontDoorContext, "clients" | "settings" | "now">) => {
  const items = table(context);
  return {
    /** Every stop in force. */
    all: (): Promise<Stop[]> => items.partition<Stop>(STOPS),

    /** Writes a stop down; one of the same kind and target is replaced. */
    put: async (stop: Stop): Promise<void> => {
      const expires = stop.until === null ? {} : { [EXPIRES]: Math.ceil(Date.parse(stop.until) / 1_000) };
      await items.revise<Stop>(keys.stop(nameOf(stop.kind, stop.target)), () => ({ ...stop, ...expires }));
    },

    /**
     * Takes a stop off: its time is over from now on.
     * @returns the one that was in force; undefined when there was none
     */
    end: async (kind: Stop["kind"], target: StopTarget): Promise<Stop | undefined> => {
      const key = keys.stop(nameOf(kind, target));
      const before = await items.read<Stop>(key);
      if (before) await items.change(key, { [EXPIRES]: Math.floor(context.now() / 1_000) });
      return before;
    },
  };
};
