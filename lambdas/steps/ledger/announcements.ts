import type { GuardedRules } from "../../audit/rules-change.ts";
import { keys } from "../../ledger-table.ts";
import type { StepContext } from "../context.ts";
import { table } from "./table.ts";

/** Rules that the channel knows, and the version of the release document that held them. */
export interface AnnouncedRules {
  readonly version: string;
  readonly rules: GuardedRules;
}

/** Record of what the channel was told of deployments. */
export const announcements = (context: StepContext) => {
  const items = table(context);
  return {
    /** Reads the rules that the channel was last told of; undefined before the first release. */
    rules: (): Promise<AnnouncedRules | undefined> => items.read<AnnouncedRules>(keys.announcedRules),

    /** Writes them down; the sweep alone does, one at a time. */
    keepRules: (announced: AnnouncedRules): Promise<void> => items.replace(keys.announcedRules, announced),
  };
};
