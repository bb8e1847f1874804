import { EXPIRES, keys } from "../../records/ledger-table.ts";
import type { FrontDoorContext } from "../context.ts";
import { tableClient } from "../ledger/table.ts";

/** Slack accepts answers at a response URL for 30 minutes (docs: "Handling user interaction", response_url). */
const LIVES_SECONDS = 30 * 60;

interface Kept {
  readonly url: string;
  /** Unix seconds. */
  readonly [EXPIRES]: number;
}

/** Stores the response URLs of `/win` looks. Anyone who has such a URL can post there, so it is stored nowhere else. */
export const responseUrls = (context: FrontDoorContext) => {
  const items = tableClient(context);
  const seconds = (): number => Math.floor(context.now() / 1000);
  return {
    keep: (operation: string, url: string): Promise<void> =>
      items.replace(keys.responseUrl(operation), { url, [EXPIRES]: seconds() + LIVES_SECONDS }),

    /** Reads the URL for an operation's answer; undefined if there is none, or it has expired. */
    read: async (operation: string): Promise<string | undefined> => {
      const kept = await items.read<Kept>(keys.responseUrl(operation));
      return kept && kept[EXPIRES] > seconds() ? kept.url : undefined;
    },
  };
};
