import { GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import {
  type Act,
  type AuditEntry,
  type Chain,
  chainName,
  entryAfter,
  exportKey,
  isSameAct,
} from "../../audit/entry.ts";
import type { Head } from "../../audit/head.ts";
import { log } from "../../logging.ts";
import { auditPartition, EXPIRES, type Key, keys, openExports, UNFINISHED } from "../../records/ledger-table.ts";
import { within } from "../../time-limit.ts";
import { wordsOf } from "../client-errors.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "./retention.ts";
import { tableClient } from "./table.ts";

/** An audit entry as its item stores it. */
type Item = AuditEntry & { readonly [EXPIRES]?: number };

/** A chain with entries whose copies are missing in the bucket. */
export interface LateExport {
  readonly chain: Chain;
  /** ISO 8601: time at which a copy could first not be written. */
  readonly since: string;
}

interface ExportItem extends LateExport {
  readonly failures: number;
  readonly doneAt?: string;
}

/**
 * Upper bound in days on an operation's duration, with a large margin: all entries of a chain expire together, and no
 * earlier than the operation's record, which expires some days after the operation's end.
 */
const OPERATION_DAYS = 45;

/** Days until the record of a finished export expires; nothing reads it any more. */
const DONE_DAYS = 1;

/** Time limit for S3 in milliseconds: an operation does not stop because S3 cannot store its audit. */
const EXPORT_WITHIN_MS = 3_000;

/** S3's errors for a missing key; a caller who may not list the bucket gets AccessDenied (API Reference, GetObject). */
const MISSING: ReadonlySet<string> = new Set(["NoSuchKey", "AccessDenied"]);

/** Key of the record that holds the head of a chain: the operation's, or that of its node. */
const headKey = ({ operation, index }: Chain): Key =>
  index === undefined ? keys.operation(operation) : keys.node(operation, index);

/** The later of the record's head and the last entry: after a crash, an entry may exist without its head. */
function tailOf(head: Head | undefined, last: AuditEntry | undefined): Head | null {
  if (head && head.sequence >= (last?.sequence ?? 0)) return head;
  return last ? { sequence: last.sequence, hash: last.hash } : null;
}

/** Copies of entries in the versioned bucket. Each is written with its entry; the sweep writes those that failed. */
const exports = (context: StepContext) => {
  const { clients, settings } = context;
  const items = tableClient(context);
  const list = openExports(settings.cluster);
  const isLate = (item: ExportItem | undefined): item is ExportItem => item !== undefined && item.doneAt === undefined;

  /** Writes the copy of an entry unless it exists (User Guide, "conditional writes"). */
  const put = async ({ [EXPIRES]: _, pk: _pk, sk: _sk, ...entry }: Item & Partial<Key>): Promise<void> => {
    const copy = new PutObjectCommand({
      Bucket: settings.bucket,
      Key: exportKey(entry),
      Body: JSON.stringify(entry),
      ContentType: "application/json",
      IfNoneMatch: "*",
    });
    await within(EXPORT_WITHIN_MS, clients.s3.send(copy)).catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== "PreconditionFailed") throw error;
    });
  };

  /** Records that copies of a chain are missing, for the sweep. */
  const postpone = async (chain: Chain): Promise<void> => {
    const at = timestamp(context);
    await items.revise<ExportItem>(keys.auditExport(chainName(chain)), (before) => {
      const late = isLate(before) ? before : { chain, since: at, failures: 0 };
      const { since } = late;
      const failures = late.failures + 1;
      return { chain, since, failures, [UNFINISHED.hash]: list, [UNFINISHED.range]: since };
    });
  };

  return {
    postpone,

    /** Reads the hash in an entry's copy; null if there is no copy. S3 also answers AccessDenied for a missing key. */
    read: async (entry: AuditEntry): Promise<string | null> => {
      const asked = new GetObjectCommand({ Bucket: settings.bucket, Key: exportKey(entry) });
      try {
        const { Body } = await within(EXPORT_WITHIN_MS, clients.s3.send(asked));
        return String(Object(JSON.parse((await Body?.transformToString()) ?? "{}")).hash);
      } catch (error) {
        if (error instanceof Error && MISSING.has(error.name)) return null;
        throw error;
      }
    },

    /** Writes the copy of an entry; if S3 does not accept it, the sweep writes it later. */
    tryPut: async (chain: Chain, entry: Item): Promise<void> => {
      try {
        await put(entry);
      } catch (error) {
        log("WARN", "refusal", { operation: chain.operation, service: "s3", action: "PutObject", why: wordsOf(error) });
        await postpone(chain);
      }
    },

    late: async (): Promise<LateExport[]> => {
      const listed = await items.indexed<ExportItem>(UNFINISHED, list, "oldest first");
      return listed.map(({ chain, since }) => ({ chain, since }));
    },

    /** Writes every missing copy of a chain, and closes the export's record unless another copy failed meanwhile. */
    catchUp: async (chain: Chain, entries: readonly Item[]): Promise<void> => {
      const key = keys.auditExport(chainName(chain));
      const seen = await items.read<ExportItem>(key);
      for (const entry of entries) await put(entry);
      const doneAt = timestamp(context);
      await items.revise<ExportItem>(key, (before) => {
        if (!isLate(before) || before.failures !== seen?.failures) return null;
        const { since, failures } = before;
        return { chain, since, failures, doneAt, [EXPIRES]: expiryAfter(doneAt, DONE_DAYS) };
      });
    },
  };
};

/** A chain as it was read, and continued since. */
interface OpenChain {
  readonly chain: Chain;
  head: Head | undefined;
  entries: readonly Item[];
}

/** Finds the entry of a step that was repeated. @throws Error if the mark already has another act */
function knownIn({ chain, entries }: OpenChain, mark: string, act: Act): Item | undefined {
  const known = entries.find((entry) => entry.mark === mark);
  if (known && !isSameAct(known, act)) throw new Error(`${chainName(chain)} has another entry with the mark "${mark}"`);
  return known;
}

/** Appends an act to one chain, as `append` does. */
export type AppendToChain = (mark: string, act: Act) => Promise<Head>;

/** The audit of operations. Entries are inserted once and never changed; each contains the hash of the previous one. */
export const audit = (context: StepContext) => {
  const { cluster, retentionDays } = context.settings;
  const items = tableClient(context);
  const copies = exports(context);
  const entriesOf = (chain: Chain): Promise<Item[]> => items.partition<Item>(auditPartition(chainName(chain)));
  const headOf = async (chain: Chain): Promise<Head | undefined> =>
    (await items.read<{ audit?: Head }>(headKey(chain)))?.audit;

  const insert = async (chain: Chain, entry: AuditEntry, first: Item | undefined, act: Act): Promise<Item> => {
    const item = { ...entry, [EXPIRES]: first?.[EXPIRES] ?? expiryAfter(entry.at, retentionDays + OPERATION_DAYS) };
    const key = keys.audit(chainName(chain), entry.sequence);
    if ((await items.insert(key, item)) === "first") return item;
    const there = await items.read<Item>(key);
    // The entry is this execution's own: DynamoDB's first answer was lost, and the client repeated the write.
    if (there && there.mark === entry.mark && isSameAct(there, act)) return there;
    throw new Error(`entry ${entry.sequence} of ${chainName(chain)} exists with another content`);
  };

  const appendTo = async (open: OpenChain, mark: string, act: Act): Promise<Head> => {
    const { chain, head, entries } = open;
    const known = knownIn(open, mark, act);
    const last = entries.at(-1);
    const next = { at: timestamp(context), mark, act };
    const tail = tailOf(head, last);
    const entry = known ?? (await insert(chain, entryAfter({ cluster, chain, head: tail }, next), entries[0], act));
    // The last entry is later than the head: an execution ended between the two writes, perhaps before the copy.
    if (last && last !== known && last.sequence > (head?.sequence ?? 0)) await copies.postpone(chain);
    const { sequence, hash } = tailOf(head, entry) ?? entry;
    if (hash !== head?.hash) await items.change(headKey(chain), { audit: { sequence, hash } });
    await copies.tryPut(chain, entry);
    open.entries = known ? entries : [...entries, entry];
    open.head = { sequence, hash };
    return open.head;
  };

  const writer = async (chain: Chain): Promise<AppendToChain> => {
    const [head, entries] = await Promise.all([headOf(chain), entriesOf(chain)]);
    const open: OpenChain = { chain, head, entries };
    return (mark, act) => appendTo(open, mark, act);
  };

  return {
    /** Lists the entries of a chain in the order of their keys. */
    entries: entriesOf,

    /**
     * Appends an act to a chain and copies the entry to the bucket; this execution must be the chain's only writer. The
     * same mark with the same act again is the same entry. If S3 is down, the sweep writes the copy.
     * @param mark unique within the chain, and the same if the step is repeated
     * @returns the chain's new head
     * @throws Error if the mark or the place already has another act; DynamoDB's errors
     */
    append: async (chain: Chain, mark: string, act: Act): Promise<Head> => (await writer(chain))(mark, act),

    /** Reads a chain once, for many entries of one step; otherwise as `append`. After an error, make a new one. */
    writer,

    /**
     * Compares an entry with its copy in the bucket.
     * @returns "none" if there is no copy
     */
    compareCopy: async (entry: AuditEntry): Promise<"same" | "different" | "none"> => {
      const copy = await copies.read(entry);
      if (copy === null) return "none";
      return copy === entry.hash ? "same" : "different";
    },

    /**
     * Lists the chains with missing copies, the longest delay first. A chain may be absent in the first moments of its
     * delay.
     */
    lateExports: copies.late,

    /**
     * Writes the missing copies of a chain.
     * @returns false if S3 does not accept them, for any reason; the next sweep tries again, and the doctor tells it
     */
    catchUp: async (chain: Chain): Promise<boolean> => {
      const entries = await entriesOf(chain);
      try {
        await copies.catchUp(chain, entries);
        return true;
      } catch (error) {
        log("WARN", "refusal", { operation: chain.operation, service: "s3", action: "PutObject", why: wordsOf(error) });
        return false;
      }
    },
  };
};
