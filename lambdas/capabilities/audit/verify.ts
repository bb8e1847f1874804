import { type AuditEntry, entryHash, genesis } from "../../audit/entry.ts";
import type { Head } from "../../audit/head.ts";

/** Result of verifying a chain. `at` is the sequence of the first faulty or missing entry, counted from 1. */
export type ChainVerdict =
  | { readonly kind: "intact"; readonly head: Head }
  /** There is no entry, and no head that names one. */
  | { readonly kind: "empty" }
  /** The entry's content does not match its hash, or the entry does not follow the one before. */
  | { readonly kind: "changed"; readonly at: number }
  | { readonly kind: "missing"; readonly at: number }
  /** The last entries are missing: the head names a later one, or the execution has ended and its end is missing. */
  | { readonly kind: "truncated"; readonly at: number }
  /** Entries follow the head of a chain that has ended. */
  | { readonly kind: "extended"; readonly at: number };

/** The chain that the entries must belong to, and its end as other records hold it. */
export interface ExpectedChain {
  readonly cluster: string;
  /** Name as `chainName` writes it. */
  readonly chain: string;
  /** Head in the operation's record; null if the record has none. */
  readonly head: Head | null;
  /** True if the execution has ended: no entry follows the head. While it runs, an entry is written before the head. */
  readonly hasEnded: boolean;
}

/** Finds the first entry that is not the one expected at its position. */
function firstFault(entries: readonly AuditEntry[], { cluster, chain }: ExpectedChain): ChainVerdict | null {
  let previous = genesis(cluster, chain);
  for (const [index, entry] of entries.entries()) {
    const at = index + 1;
    if (entry.sequence > at) return { kind: "missing", at };
    const isOwn = entry.cluster === cluster && entry.chain === chain && entry.sequence === at;
    if (!isOwn || entry.previous !== previous || entry.hash !== entryHash(entry)) return { kind: "changed", at };
    previous = entry.hash;
  }
  return null;
}

/** Compares the end of a chain without faults with its head. */
function againstHead(
  entries: readonly AuditEntry[],
  last: AuditEntry,
  { head, hasEnded }: ExpectedChain,
): ChainVerdict {
  if (head && entries.length < head.sequence) return { kind: "truncated", at: entries.length + 1 };
  if (head && entries[head.sequence - 1]?.hash !== head.hash) return { kind: "changed", at: head.sequence };
  if (hasEnded && !entries.some(({ what }) => what === "ended")) return { kind: "truncated", at: last.sequence + 1 };
  if (hasEnded && last.sequence > (head?.sequence ?? 0)) return { kind: "extended", at: (head?.sequence ?? 0) + 1 };
  return { kind: "intact", head: { sequence: last.sequence, hash: last.hash } };
}

/**
 * Verifies that no entry of a chain was changed, removed, inserted or moved.
 * @param entries as they were read, in the order of their keys
 */
export function verifyChain(entries: readonly AuditEntry[], expected: ExpectedChain): ChainVerdict {
  const last = entries.at(-1);
  if (!last) return expected.head ? { kind: "truncated", at: 1 } : { kind: "empty" };
  return firstFault(entries, expected) ?? againstHead(entries, last, expected);
}
