import { EXPIRES, type Key, keys, NODE_ITEMS } from "../../records/ledger-table.ts";
import type { NodeRecord, OperationRecord } from "../../records/records.ts";
import type { FrontDoorContext } from "../context.ts";
import { tableClient } from "./table.ts";

const DAY_SECONDS = 24 * 60 * 60;

/**
 * Computes the expiry of an item for DynamoDB's Time to Live, in seconds since the epoch.
 * @param from ISO 8601
 */
export const expiryAfter = (from: string, days: number): number =>
  Math.floor(Date.parse(from) / 1000) + days * DAY_SECONDS;

type Item = Key & { readonly [EXPIRES]?: number };

/** An operation that is about to end, as the ledger stores it, and the expiry of its item. */
interface Expiring {
  readonly expiry: { readonly [EXPIRES]: number };
  readonly before: OperationRecord | undefined;
  readonly nodes: readonly NodeRecord[];
}

/**
 * Makes everything in an operation's partition expire together: the configured number of days after its end, or at the
 * operation's existing expiry. The caller writes the operation's own item, together with its end.
 * @param endedAt ISO 8601
 */
export async function expireOperation(context: FrontDoorContext, id: string, endedAt: string): Promise<Expiring> {
  const items = tableClient(context);
  const own = keys.operation(id);
  const all = await items.partition<Item & OperationRecord & NodeRecord>(own.pk);
  const expiry = { [EXPIRES]: expiryOf(all, own) ?? expiryAfter(endedAt, context.settings.retentionDays) };
  const parts = all.filter((item) => item.sk !== own.sk && item[EXPIRES] !== expiry[EXPIRES]);
  await Promise.all(parts.map(({ pk, sk }) => items.change({ pk, sk }, expiry)));
  return {
    expiry,
    before: all.find(({ sk }) => sk === own.sk),
    nodes: all.filter(({ sk }) => sk.startsWith(NODE_ITEMS)),
  };
}

const expiryOf = (all: readonly Item[], { sk }: Key): number | undefined =>
  all.find((item) => item.sk === sk)?.[EXPIRES];
