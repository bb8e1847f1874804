import { type AuditEntry, entryHash } from "../../audit/entry.ts";

/** Result of comparing a chain with its copies in the bucket. `at` is the sequence of the first fault. */
export type CopyVerdict =
  | { readonly kind: "same" }
  /** Some entries have no copy yet: S3 did not take them, or they are a moment old. */
  | { readonly kind: "late" }
  /** S3 did not answer. */
  | { readonly kind: "unknown" }
  | { readonly kind: "different"; readonly at: number }
  | { readonly kind: "uncopied"; readonly at: number }
  /** The bucket has the copy of an entry that the ledger lacks. */
  | { readonly kind: "more"; readonly at: number };

/** Milliseconds in which an entry gets its copy; the function that appends has less time for both. */
const COPIED_WITHIN_MS = 5 * 60_000;

/** Facts beside the entries and their copies. */
export interface CopyFacts {
  /** The chain is in the list of those with missing copies. */
  readonly isLate: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const isCopyOf = (copy: AuditEntry, entry: AuditEntry): boolean =>
  copy.hash === entry.hash && entryHash(copy) === entry.hash;

/** Lists the places of which copies are compared: each entry's, and the one after the last. */
export const copyPlaces = (entries: readonly Pick<AuditEntry, "sequence">[]): number[] => {
  const places = entries.map(({ sequence }) => sequence);
  return [...places, (places.at(-1) ?? 0) + 1];
};

/**
 * Compares the entries of a chain with their copies, one by one.
 * @param copies in the order of `copyPlaces`; null where the bucket has none
 */
export function compareCopies(
  entries: readonly AuditEntry[],
  copies: readonly (AuditEntry | null)[],
  { isLate, now }: CopyFacts,
): CopyVerdict {
  const pairs = entries.map((entry, at) => ({ entry, copy: copies[at] ?? null }));
  const different = pairs.find(({ entry, copy }) => copy !== null && !isCopyOf(copy, entry));
  if (different) return { kind: "different", at: different.entry.sequence };
  if (copies[entries.length]) return { kind: "more", at: copyPlaces(entries).at(-1) ?? 1 };
  const missing = pairs.filter(({ copy }) => copy === null).map(({ entry }) => entry);
  const [old] = missing.filter(({ at }) => now - Date.parse(at) > COPIED_WITHIN_MS);
  if (old && !isLate) return { kind: "uncopied", at: old.sequence };
  return { kind: missing.length > 0 ? "late" : "same" };
}
