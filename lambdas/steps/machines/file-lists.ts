import { digestOf, type Json } from "../../audit/canonical.ts";
import { EXPIRES, FILE_LISTS, type Key, keys } from "../../records/ledger-table.ts";
import type { Expiry, FileLists, InputFile, InputValue, StoredFile } from "../../records/machine-record.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "../ledger/retention.ts";
import { tableClient } from "../ledger/table.ts";

/**
 * Most files that the record of a machine names itself. 200 files take 28 KB, of which every write of the record would
 * pay (DynamoDB Developer Guide, "Read/write capacity": 1 KB for a unit), and every page of records holds 1 MB.
 */
const MOST_IN_RECORD = 10;

/** Days for which a list that no record names is kept. */
const UNUSED_DAYS = 30;

/** Most lists that one function remembers between its calls. */
const MOST_KNOWN = 50;

/** An item with a list. */
interface StoredList extends Expiry {
  readonly files: readonly InputFile[];
}

/** Stores lists of files once for all machines. A list is stored under its hash, so that it never changes. */
export const fileLists = (context: StepContext) => {
  const items = tableClient(context);
  const known = new Map<string, readonly InputFile[]>();
  const remember = (hash: string, files: readonly InputFile[]): void => {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(hash, files);
  };

  const find = async (hash: string): Promise<readonly InputFile[] | undefined> => {
    const stored = known.get(hash);
    if (stored) return stored;
    const item = await items.read<StoredList>(keys.fileList(hash));
    if (item && item[EXPIRES] === undefined) remember(hash, item.files);
    return item?.files;
  };

  return {
    /** Reads lists by their hashes; a lost one is missing. */
    read: async (hashes: readonly string[]): Promise<FileLists> => {
      const found = await Promise.all(
        [...new Set(hashes)].map(async (hash) => {
          const files = await find(hash);
          return files ? [[hash, files] as const] : [];
        }),
      );
      return new Map(found.flat());
    },

    /** Stores the files of an input, if they are many. @returns the value as a record names it */
    keep: async ({ files, ...value }: InputValue): Promise<InputValue<StoredFile>> => {
      if (!files || files.length <= MOST_IN_RECORD) return { ...value, ...(files ? { files } : {}) };
      const list = digestOf(files as unknown as Json);
      if (!known.has(list)) {
        // A list that expires because no record names it stays from now on.
        if ((await items.insert(keys.fileList(list), { files })) === "again")
          await items.change(keys.fileList(list), {}, [EXPIRES]);
        remember(list, files);
      }
      return { ...value, files: [{ list }] };
    },

    /**
     * Lets lists expire that no record names, and removes the expiry of the others: a record may have named a list after
     * the records were read.
     * @param used hashes of the lists that records name
     */
    keepWhileUsed: async (used: ReadonlySet<string>): Promise<void> => {
      const expiry: Expiry = { [EXPIRES]: expiryAfter(timestamp(context), UNUSED_DAYS) };
      for (const { pk, sk, ...list } of await items.partition<Key & Expiry>(FILE_LISTS)) {
        const isExpiring = list[EXPIRES] !== undefined;
        if (!used.has(sk) && !isExpiring) await items.change({ pk, sk }, expiry);
        if (used.has(sk) && isExpiring) await items.change({ pk, sk }, {}, [EXPIRES]);
      }
    },
  };
};
