import { type AuditEntry, entryHash, genesis } from "./entry.ts";
import type { Head } from "./head.ts";

/** Result of comparing a chain's entries with each other and with its head. `at` is a sequence, counted from 1. */
export type ChainVerdict =
  | { readonly kind: "intact"; readonly head: Head }
  /** There is no entry, and no head that promises one. */
  | { readonly kind: "empty" }
  /** The entry's content does not fit its hash, or it does not follow the one before it. */
  | { readonly kind: "changed"; readonly at: number }
  | { readonly kind: "missing"; readonly at: number }
  /** The last entries are missing: the head is a later one, or what has ended has no end. */
  | { readonly kind: "truncated"; readonly at: number }
  /** Entries follow the head of a chain that has ended. */
  | { readonly kind: "extended"; readonly at: number };

/** The chain that entries are expected to belong to, and where it ends by what was written elsewhere. */
export interface ExpectedChain {
  readonly cluster: string;
  /** As `chainName` writes it. */
  readonly chain: string;
  /** Head in the operation's record; null when it has none. */
  readonly head: Head | null;
  /** The execution has ended: no entry follows the head any more. While it runs, an entry is written before the head. */
  readonly hasEnded: boolean;
}

/** Finds the first entry that is not the one that must stand at its place. */
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

/** Compares the end of a sound chain with its head. */
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
 * Verifies a chain: no entry was changed, removed, inserted or moved.
 * @param entries as they were read, in the order of their keys
 */
export function verifyChain(entries: readonly AuditEntry[], expected: ExpectedChain): ChainVerdict {
  const last = entries.at(-1);
  if (!last) return expected.head ? { kind: "truncated", at: 1 } : { kind: "empty" };
  return firstFault(entries, expected) ?? againstHead(entries, last, expected);
}
