import { EXPIRES, type Key, keys } from "../../ledger-table.ts";
import type { DoorWorld } from "../world.ts";
import { table } from "./table.ts";

const DAY_SECONDS = 24 * 60 * 60;

/**
 * Computes when an item expires, as DynamoDB's Time to Live wants it: in seconds since the epoch.
 * @param from ISO 8601
 */
export const expiryAfter = (from: string, days: number): number =>
  Math.floor(Date.parse(from) / 1000) + days * DAY_SECONDS;

type Item = Key & { readonly [EXPIRES]?: number };

/**
 * Lets everything in an operation's partition expire at one time: the configured number of days after its end, or the time
 * that the operation has already. The operation's own item is left to the caller, who writes its end at once.
 * @param endedAt ISO 8601
 * @returns the attribute that the operation's item is to carry
 */
export async function expireOperation(
  world: DoorWorld,
  id: string,
  endedAt: string,
): Promise<{ readonly [EXPIRES]: number }> {
  const items = table(world);
  const own = keys.operation(id);
  const all = await items.partition<Item>(own.pk);
  const expiry = { [EXPIRES]: expiryOf(all, own) ?? expiryAfter(endedAt, world.settings.retentionDays) };
  const parts = all.filter((item) => item.sk !== own.sk && item[EXPIRES] !== expiry[EXPIRES]);
  await Promise.all(parts.map(({ pk, sk }) => items.change({ pk, sk }, expiry)));
  return expiry;
}

const expiryOf = (all: readonly Item[], { sk }: Key): number | undefined =>
  all.find((item) => item.sk === sk)?.[EXPIRES];
