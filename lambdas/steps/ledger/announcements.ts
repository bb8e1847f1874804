import type { GuardedRules } from "../../audit/rules-change.ts";
import { keys } from "../../records/ledger-table.ts";
import type { MachineEvent } from "../../records/machine-event.ts";
import type { Stray } from "../../records/stray.ts";
import type { StepContext } from "../context.ts";
import { fleetCalls } from "./fleet-calls.ts";
import { postedList } from "./posted-list.ts";
import { tableClient } from "./table.ts";

/** Rules that were posted in the channel, and the version of the release document that contained them. */
export interface AnnouncedRules {
  readonly version: string;
  readonly rules: GuardedRules;
}

/** Records what was posted in the channel about deployments, trouble of many nodes, and single machines. */
export const announcements = (context: StepContext) => {
  const items = tableClient(context);
  return {
    fleet: fleetCalls(context),
    strays: postedList<Stray>(context, keys.strays, "strays"),
    machineEvents: postedList<MachineEvent>(context, keys.machineEvents, "events"),

    /** Reads the rules that were last posted; undefined before the first release. */
    rules: (): Promise<AnnouncedRules | undefined> => items.read<AnnouncedRules>(keys.announcedRules),

    /** Records the posted rules. Only the sweep does this, one at a time. */
    keepRules: (announced: AnnouncedRules): Promise<void> => items.replace(keys.announcedRules, announced),
  };
};
