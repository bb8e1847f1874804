import { GetObjectCommand, NoSuchKey } from "@aws-sdk/client-s3";
import { type AppendRequest, appendAnswer, MOST_ENTRIES } from "../../audit/append-request.ts";
import { APPEND_AUDIT } from "../../audit/appenders.ts";
import {
  type Act,
  type AuditEntry,
  type Chain,
  chainName,
  type EntryPlace,
  exportKey,
  type MarkedAct,
} from "../../audit/entry.ts";
import type { Head } from "../../audit/head.ts";
import { AwsError } from "../../clients/aws-call.ts";
import {
  auditPartition,
  CHAIN_ITEMS,
  ENTRY_ITEMS,
  type Key,
  keys,
  openExports,
  UNFINISHED,
} from "../../records/ledger-table.ts";
import { within } from "../../time-limit.ts";
import type { StepContext } from "../context.ts";
import { tableClient } from "./table.ts";

/** A chain with entries whose copies are missing in the bucket. */
export interface LateExport {
  readonly chain: Chain;
  /** ISO 8601: time at which a copy could first not be written. */
  readonly since: string;
}

/** Time limit for S3 in milliseconds, for each copy. */
const READ_WITHIN_MS = 3_000;

/** Key of the record that holds the head of a chain: the operation's, or that of its node. */
const headKey = ({ operation, index }: Chain): Key =>
  index === undefined ? keys.operation(operation) : keys.node(operation, index);

/** Calls the function that appends. @throws AwsError as the service said it; Error if the request was refused */
const appending = ({ clients, settings }: StepContext) => {
  const name = settings.functions[APPEND_AUDIT];
  return async (request: AppendRequest) => {
    if (!name) throw new Error("the settings name no function that appends to the audit");
    const answer = appendAnswer.parse(await clients.invoke(name, request));
    if ("refused" in answer)
      throw new Error(`${APPEND_AUDIT} refused an entry of ${chainName(request.chain)}: ${answer.refused}`);
    if (!("failed" in answer)) return answer;
    const { service, code, message, status } = answer.failed;
    throw new AwsError(code, message, status, undefined, service);
  };
};

/** Reads copies of entries in the bucket. */
const copies = ({ clients, settings }: StepContext) => {
  const readAt = async (place: EntryPlace, day: string): Promise<AuditEntry | null> => {
    const wanted = new GetObjectCommand({ Bucket: settings.bucket, Key: exportKey(place, day) });
    try {
      const { Body } = await within(READ_WITHIN_MS, clients.s3.send(wanted));
      return JSON.parse((await Body?.transformToString()) ?? "null");
    } catch (error) {
      if (error instanceof NoSuchKey) return null;
      throw error;
    }
  };

  /**
   * Reads the copy of an entry; null if there is none. The last release named it with the day of the entry.
   * @param days of the operation's request, and of the entry if there is one; ISO 8601
   */
  return async (place: EntryPlace, days: { readonly request: string; readonly entry?: string | undefined }) => {
    const { request, entry = request } = days;
    const copy = await readAt(place, request);
    return copy ?? (entry.slice(0, 10) === request.slice(0, 10) ? null : readAt(place, entry));
  };
};

/**
 * The audit of operations. A function of its own appends the entries, once, and nobody changes them; each contains the hash
 * of the previous one.
 */
export const audit = (context: StepContext) => {
  const items = tableClient(context);
  const request = appending(context);

  const appendSome = async (chain: Chain, entries: readonly MarkedAct[]): Promise<Head> => {
    const answer = await request({ kind: "append", chain, entries } as AppendRequest);
    if (!("head" in answer)) throw new Error(`${APPEND_AUDIT} answered without a head`);
    await items.change(headKey(chain), { audit: answer.head });
    return answer.head;
  };

  return {
    /** Lists the entries of a chain in the order of their keys. */
    entries: (chain: Chain): Promise<AuditEntry[]> =>
      items.all<AuditEntry>(auditPartition(chainName(chain)), ENTRY_ITEMS),

    /** Lists the nodes of an operation that have a chain of their own, by their index. */
    nodeChains: async (operation: string): Promise<number[]> =>
      (await items.all<Key>(auditPartition(operation), CHAIN_ITEMS)).map(({ sk }) =>
        Number(sk.slice(CHAIN_ITEMS.length)),
      ),

    /**
     * Appends an act to a chain and has the entry copied to the bucket; this execution must be the chain's only writer. The
     * same mark with the same act again is the same entry. If S3 is down, the sweep has the copy written.
     * @param mark unique within the chain, and the same if the step is repeated
     * @returns the chain's new head
     * @throws Error if the mark or the place already has another act, or if the ledger holds nothing of what the act claims
     * about a person; the errors of Lambda and DynamoDB
     */
    append: (chain: Chain, mark: string, act: Act): Promise<Head> => appendSome(chain, [{ mark, act }]),

    /** Appends the acts of one step, in their order; otherwise as `append`. */
    appendAll: async (chain: Chain, acts: readonly MarkedAct[]): Promise<void> => {
      for (let at = 0; at < acts.length; at += MOST_ENTRIES) await appendSome(chain, acts.slice(at, at + MOST_ENTRIES));
    },

    copy: copies(context),

    /**
     * Lists the chains with missing copies, the longest delay first. A chain may be absent in the first moments of its
     * delay.
     */
    lateExports: async (): Promise<LateExport[]> => {
      const list = openExports(context.settings.cluster);
      const listed = await items.indexed<LateExport>(UNFINISHED, list, "oldest first");
      return listed.map(({ chain, since }) => ({ chain, since }));
    },

    /**
     * Has the missing copies of a chain written.
     * @returns false if S3 does not accept them, for any reason; the next sweep tries again, and the doctor reports it
     */
    catchUp: async (chain: Chain): Promise<boolean> => {
      const answer = await request({ kind: "copy", chain });
      return "isCopied" in answer && answer.isCopied;
    },
  };
};
