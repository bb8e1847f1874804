import { EXPIRES, keys } from "../../ledger-table.ts";
import type { FrontDoorContext } from "../context.ts";
import { table } from "../ledger/table.ts";

/** Slack takes answers there for 30 minutes (docs: "Handling user interaction", response_url). */
const LIVES_SECONDS = 30 * 60;

interface Kept {
  readonly url: string;
  /** Unix seconds. */
  readonly [EXPIRES]: number;
}

/** Addresses at which Slack takes the answers to looks; anyone who has one may write there, so they are stored nowhere else. */
export const responseUrls = (context: FrontDoorContext) => {
  const items = table(context);
  const seconds = (): number => Math.floor(context.now() / 1000);
  return {
    keep: (operation: string, url: string): Promise<void> =>
      items.replace(keys.responseUrl(operation), { url, [EXPIRES]: seconds() + LIVES_SECONDS }),

    /** The address for an operation's answer; undefined when there was none, or its time is over. */
    read: async (operation: string): Promise<string | undefined> => {
      const kept = await items.read<Kept>(keys.responseUrl(operation));
      return kept && kept[EXPIRES] > seconds() ? kept.url : undefined;
    },
  };
};
