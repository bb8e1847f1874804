import { PutObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { type AuditEntry, type Chain, chainName, exportKey } from "../audit/entry.ts";
import { log } from "../logging.ts";
import { EXPIRES, type Key, keys, openExports, UNFINISHED } from "../records/ledger-table.ts";
import { wordsOf } from "../steps/client-errors.ts";
import { type EventContext, timestamp } from "../steps/context.ts";
import type { LateExport } from "../steps/ledger/audit.ts";
import { expiryAfter } from "../steps/ledger/retention.ts";
import { tableClient } from "../steps/ledger/table.ts";
import { within } from "../time-limit.ts";

/** An audit entry as its item stores it. */
export type EntryItem = AuditEntry & { readonly [EXPIRES]?: number };

interface ExportItem extends LateExport {
  readonly failures: number;
  readonly doneAt?: string;
}

/** Days until the record of a finished export expires; nothing reads it any more. */
const DONE_DAYS = 1;

/** Time limit for S3 in milliseconds: an operation does not stop because S3 cannot store its audit. */
const COPY_WITHIN_MS = 3_000;

const isLate = (item: ExportItem | undefined): item is ExportItem => item !== undefined && item.doneAt === undefined;

/** Writes an object unless it exists (S3 User Guide, "conditional writes"); the bucket's policy demands the condition. */
async function putOnce(s3: S3Client, place: { readonly Bucket: string; readonly Key: string }, entry: AuditEntry) {
  const copy = new PutObjectCommand({
    ...place,
    Body: JSON.stringify(entry),
    ContentType: "application/json",
    IfNoneMatch: "*",
  });
  await within(COPY_WITHIN_MS, s3.send(copy)).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== "PreconditionFailed") throw error;
  });
}

/**
 * The copies of an operation's entries in the versioned bucket. Each is written with its entry; the sweep has those written
 * that failed.
 * @param day of the operation's request, ISO 8601
 */
export const copies = (context: EventContext, day: string) => {
  const { clients, settings } = context;
  const items = tableClient(context);

  const put = ({ [EXPIRES]: _, pk: _pk, sk: _sk, ...entry }: EntryItem & Partial<Key>): Promise<void> =>
    putOnce(clients.s3, { Bucket: settings.bucket, Key: exportKey(entry, day) }, entry);

  /** Records that copies of a chain are missing, for the sweep. */
  const postpone = async (chain: Chain): Promise<void> => {
    const at = timestamp(context);
    await items.revise<ExportItem>(keys.auditExport(chainName(chain)), (before) => {
      const { since, failures } = isLate(before) ? before : { since: at, failures: 0 };
      const listed = { [UNFINISHED.hash]: openExports(settings.cluster), [UNFINISHED.range]: since };
      return { chain, since, failures: failures + 1, ...listed };
    });
  };

  const refused = ({ operation }: Chain, error: unknown): void =>
    log("WARN", "refusal", { operation, service: "s3", action: "PutObject", why: wordsOf(error) });

  return {
    postpone,

    /**
     * Writes the copy of an entry; if S3 does not accept it, the sweep has it written later.
     * @returns false if S3 did not accept it
     */
    tryPut: async (chain: Chain, entry: EntryItem): Promise<boolean> => {
      try {
        await put(entry);
        return true;
      } catch (error) {
        refused(chain, error);
        await postpone(chain);
        return false;
      }
    },

    /**
     * Writes every missing copy of a chain, and closes the record of its delay unless another copy failed meanwhile.
     * @param read reads the chain's entries
     * @returns false if S3 does not accept them, for any reason
     */
    catchUp: async (chain: Chain, read: () => Promise<readonly EntryItem[]>): Promise<boolean> => {
      const key = keys.auditExport(chainName(chain));
      // Read before the entries: an entry that comes later with a copy that fails changes the number of failures.
      const seen = await items.read<ExportItem>(key);
      try {
        for (const entry of await read()) await put(entry);
      } catch (error) {
        refused(chain, error);
        return false;
      }
      const doneAt = timestamp(context);
      await items.revise<ExportItem>(key, (before) => {
        if (!isLate(before) || before.failures !== seen?.failures) return null;
        const { since, failures } = before;
        return { chain, since, failures, doneAt, [EXPIRES]: expiryAfter(doneAt, DONE_DAYS) };
      });
      return true;
    },
  };
};
