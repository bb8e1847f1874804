import { type AuditEntry, type Chain, chainName, entryAfter, isSameAct, type MarkedAct } from "../audit/entry.ts";
import type { Head } from "../audit/head.ts";
import { auditPartition, ENTRY_ITEMS, EXPIRES, keys } from "../records/ledger-table.ts";
import { OPERATION_DAYS } from "../records/retention.ts";
import { type EventContext, timestamp } from "../steps/context.ts";
import { expiryAfter } from "../steps/ledger/retention.ts";
import { tableClient } from "../steps/ledger/table.ts";
import type { copies, EntryItem } from "./copies.ts";

/** A chain as it was read, and continued since. */
interface OpenChain {
  readonly chain: Chain;
  readonly entries: readonly EntryItem[];
  /** Head in the record of the operation or the node; undefined if there is none yet. */
  readonly head: Head | undefined;
}

/** The later of the record's head and the last entry: after a crash, an entry may exist without its head. */
function tailOf(head: Head | undefined, last: AuditEntry | undefined): Head | null {
  if (head && head.sequence >= (last?.sequence ?? 0)) return head;
  return last ? { sequence: last.sequence, hash: last.hash } : null;
}

/** Finds the entry of a step that was repeated. @throws Error if the mark already has another act */
function knownIn({ chain, entries }: OpenChain, { mark, act }: MarkedAct): EntryItem | undefined {
  const known = entries.find((entry) => entry.mark === mark);
  if (known && !isSameAct(known, act)) throw new Error(`${chainName(chain)} has another entry with the mark "${mark}"`);
  return known;
}

/** The entries of a chain, in the order of their keys. */
export const entriesOf = (context: EventContext, chain: Chain): Promise<EntryItem[]> =>
  tableClient(context).all<EntryItem>(auditPartition(chainName(chain)), ENTRY_ITEMS);

/** Inserts the entry that follows a chain's tail. @throws Error if its place has another entry */
async function insert(context: EventContext, { chain, entries, head }: OpenChain, next: MarkedAct): Promise<EntryItem> {
  const { cluster, retentionDays } = context.settings;
  const items = tableClient(context);
  const tail = tailOf(head, entries.at(-1));
  const entry = entryAfter({ cluster, chain, head: tail }, { at: timestamp(context), ...next });
  const expiry = entries[0]?.[EXPIRES] ?? expiryAfter(entry.at, retentionDays + OPERATION_DAYS);
  // The operation's partition names the chains of its nodes, so that none can be left out later.
  if (tail === null && chain.index !== undefined)
    await items.insert(keys.auditChain(chain.operation, chain.index), { [EXPIRES]: expiry });
  const item = { ...entry, [EXPIRES]: expiry };
  const key = keys.audit(chainName(chain), entry.sequence);
  if ((await items.insert(key, item)) === "first") return item;
  const there = await items.read<EntryItem>(key);
  // The entry is this request's own: an answer was lost, and the client repeated the write.
  if (there && there.mark === entry.mark && isSameAct(there, next.act)) return there;
  throw new Error(`entry ${entry.sequence} of ${chainName(chain)} exists with another content`);
}

/**
 * Appends acts to a chain and copies the entries to the bucket. The same mark with the same act again is the same entry.
 * @param copied the copies of the operation's entries; if S3 does not accept one, the sweep has it written
 * @param head in the record of the operation or the node
 * @returns the chain's last entry
 * @throws Error if a mark or a place already has another act; DynamoDB's errors
 */
export async function appendActs(
  context: EventContext,
  copied: ReturnType<typeof copies>,
  { chain, head }: Pick<OpenChain, "chain" | "head">,
  acts: readonly MarkedAct[],
): Promise<Head> {
  const entries = await entriesOf(context, chain);
  // The last entry is later than the head: an execution ended between the two writes, perhaps before the copy.
  const [last] = entries.slice(head?.sequence ?? 0).slice(-1);
  if (last && !acts.some(({ mark }) => mark === last.mark)) await copied.postpone(chain);
  let isTaken = true;
  for (const next of acts) {
    const open = { chain, entries, head };
    const known = knownIn(open, next);
    const entry = known ?? (await insert(context, open, next));
    if (!known) entries.push(entry);
    if (isTaken) isTaken = await copied.tryPut(chain, entry);
  }
  // S3 does not take the first, so the others are not tried.
  if (!isTaken && acts.length > 1) await copied.postpone(chain);
  const tail = tailOf(head, entries.at(-1));
  if (!tail) throw new Error(`${chainName(chain)} has no entry`);
  return tail;
}
