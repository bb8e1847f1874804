import { digestOf, type Json } from "./canonical.ts";
import type { Head } from "./head.ts";

/** Kinds of entries, in the order of an operation's life. */
export const acts = [
  "requested",
  "asked",
  "break-glass",
  "decided",
  "approved",
  "denied",
  "lapsed",
  "scheduled",
  "cancelled",
  "started",
  "evicted",
  "changed",
  "ended",
  "reviewed",
] as const;

/** A person by Slack's id, with the name at that time if it is known, or a rule of EventBridge by its name. */
export type Actor = { readonly person: string; readonly name?: string } | { readonly rule: string };

/** The node that an entry is about; fields that were not known at that time are left out. */
export interface AuditedNode {
  readonly name?: string;
  /** UID of the Node object: a later node of the same name has another UID. */
  readonly uid?: string;
  readonly instanceId?: string;
}

/** One act of an operation, before it becomes an entry of a chain. Its text contains no secrets. */
export interface Act {
  readonly what: (typeof acts)[number];
  readonly by?: Actor;
  readonly node?: AuditedNode;
  /** Facts of the act by name: the stage, the change, the number of pods, the reason. */
  readonly detail?: { readonly [name: string]: Json | undefined };
}

/** An act with its mark: unique within the chain, and the same if the step is repeated. */
export interface MarkedAct {
  readonly mark: string;
  readonly act: Act;
}

/** Name of a chain: the operation, or one of its nodes that has its own execution. Each chain has only one writer. */
export interface Chain {
  readonly operation: string;
  /** Index of the node; left out for the chain of the operation's own execution. */
  readonly index?: number;
}

/** An entry of an operation's audit: never changed, and bound to the one before it by that one's hash. */
export interface AuditEntry extends Act, Head {
  readonly cluster: string;
  /** Name of the chain, see `chainName`. */
  readonly chain: string;
  /** ISO 8601. */
  readonly at: string;
  /** Unique within the chain. If a repeated step writes the same act again, the mark is the same. */
  readonly mark: string;
  /** Hash of the entry before; in the first entry, the hash of the chain's name (`genesis`). */
  readonly previous: string;
}

/** Writes a chain's name: "add-3f9c2a71", or "add-3f9c2a71:0" for the chain of one of its nodes. */
export const chainName = ({ operation, index }: Chain): string =>
  index === undefined ? operation : `${operation}:${index}`;

/**
 * Computes the hash that the first entry of a chain follows. It covers cluster and chain, so that no chain can be taken
 * for another one.
 * @param chain as `chainName` writes it
 */
export const genesis = (cluster: string, chain: string): string =>
  digestOf({ format: "casement audit 1", cluster, chain });

/** Computes the hash of an entry: of all its fields except the hash. */
export function entryHash(entry: Omit<AuditEntry, "hash">): string {
  const { cluster, chain, sequence, at, mark, what, by, node, detail, previous } = entry;
  const content = { cluster, chain, sequence, at, mark, what, by, node, detail, previous };
  return digestOf(content as unknown as Json);
}

/**
 * Makes the entry that follows a head.
 * @param at ISO 8601
 * @param head the last entry of the chain; null for the first one
 */
export function entryAfter(
  { cluster, chain, head }: { readonly cluster: string; readonly chain: Chain; readonly head: Head | null },
  { at, mark, act }: { readonly at: string; readonly mark: string; readonly act: Act },
): AuditEntry {
  const name = chainName(chain);
  const entry = {
    cluster,
    chain: name,
    sequence: (head?.sequence ?? 0) + 1,
    at,
    mark,
    ...act,
    previous: head?.hash ?? genesis(cluster, name),
  };
  return { ...entry, hash: entryHash(entry) };
}

/** Does an entry record this act? The time may differ, because a repeated step runs at another time. */
export const isSameAct = ({ what, by, node, detail }: AuditEntry, act: Act): boolean =>
  digestOf({ what, by, node, detail } as unknown as Json) ===
  digestOf({ what: act.what, by: act.by, node: act.node, detail: act.detail } as unknown as Json);

/** An entry's place in a chain of an operation. */
export interface EntryPlace {
  readonly cluster: string;
  /** Name as `chainName` writes it. */
  readonly chain: string;
  readonly sequence: number;
}

/**
 * Builds the key of an entry's copy in the bucket: `audit/<cluster>/<date>/<operation>/<sequence>.json`. The entries of
 * each node's chain have a separate folder. Nothing in the entry itself has a part in it, so that an entry which was written
 * anew has the key of the one that it replaced.
 * @param day of the operation's request, ISO 8601
 */
export function exportKey({ cluster, chain, sequence }: EntryPlace, day: string): string {
  const [operation = "", index] = chain.split(":");
  const folder = index === undefined ? operation : `${operation}/node-${index.padStart(4, "0")}`;
  return `audit/${cluster}/${day.slice(0, 10)}/${folder}/${String(sequence).padStart(4, "0")}.json`;
}
