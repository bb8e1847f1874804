import { describe, expect, test } from "vitest";
import { type Act, type AuditEntry, entryAfter } from "../../../lambdas/audit/entry.ts";
import { compareCopies, copyPlaces } from "../../../lambdas/capabilities/audit/copies.ts";
import { NOW } from "../../messages/records.ts";

const chain = { operation: "remove-3f9c2a71" };
const later = { isLate: false, now: Date.parse(NOW) + 3_600_000 };

function chainOf(...acts: readonly Act[]): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const [at, act] of acts.entries())
    entries.push(
      entryAfter({ cluster: "prod-west", chain, head: entries.at(-1) ?? null }, { at: NOW, mark: String(at), act }),
    );
  return entries;
}

const entries = chainOf({ what: "requested" }, { what: "approved", by: { person: "U0APPROVER" } }, { what: "ended" });
const forged = chainOf({ what: "requested" }, { what: "approved", by: { person: "U0VISITOR0" } }, { what: "ended" });

describe("Entries that are compared with their copies", () => {
  test("are looked up one by one, with the place after the last", () => {
    expect(copyPlaces(entries)).toEqual([1, 2, 3, 4]);
    expect(copyPlaces([])).toEqual([1]);
  });

  test("are the same when every copy is", () => {
    expect(compareCopies(entries, [...entries, null], later)).toEqual({ kind: "same" });
    expect(compareCopies([], [null], later)).toEqual({ kind: "same" });
  });

  test("differ from the first one that was written anew, though the chain fits", () => {
    expect(compareCopies(forged, [...entries, null], later)).toEqual({ kind: "different", at: 2 });
  });

  test("differ from a copy whose content does not fit its hash", () => {
    const [first, second, third] = entries as [AuditEntry, AuditEntry, AuditEntry];
    const touched = { ...second, by: { person: "U0VISITOR0" } };
    expect(compareCopies(entries, [first, touched, third, null], later)).toEqual({ kind: "different", at: 2 });
  });

  test("are fewer than their copies when the newest were removed", () => {
    expect(compareCopies(entries.slice(0, 2), entries, later)).toEqual({ kind: "more", at: 3 });
    expect(compareCopies([], entries.slice(0, 1), later)).toEqual({ kind: "more", at: 1 });
  });

  test("lack a copy, unless S3 did not take it or they are a moment old", () => {
    const copies = [entries[0] ?? null, null, entries[2] ?? null, null];
    expect(compareCopies(entries, copies, later)).toEqual({ kind: "uncopied", at: 2 });
    expect(compareCopies(entries, copies, { ...later, isLate: true })).toEqual({ kind: "late" });
    expect(compareCopies(entries, copies, { isLate: false, now: Date.parse(NOW) + 60_000 })).toEqual({ kind: "late" });
  });
});
