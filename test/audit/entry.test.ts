import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonical, type Json } from "../../lambdas/audit/canonical.ts";
import {
  type Act,
  type AuditEntry,
  acts,
  type Chain,
  chainName,
  entryAfter,
  entryHash,
  exportKey,
} from "../../lambdas/audit/entry.ts";
import type { Head } from "../../lambdas/audit/head.ts";
import { verifyChain } from "../../lambdas/capabilities/audit/verify.ts";

const cluster = "prod-west";
const chain = { operation: "remove-3f9c2a71" };

/** A chain of these acts, a minute apart. */
function chainOf(written: readonly Act[], of: Chain = chain, inCluster = cluster): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const [at, act] of written.entries()) {
    const next = { at: new Date(Date.UTC(2026, 10, 21, 8, at)).toISOString(), mark: `${act.what} ${at}`, act };
    entries.push(entryAfter({ cluster: inCluster, chain: of, head: entries.at(-1) ?? null }, next));
  }
  return entries;
}

const judged = (entries: readonly AuditEntry[], head: Head | null, hasEnded = true) =>
  verifyChain(entries, { cluster, chain: chainName(chain), head, hasEnded });

const text = fc.string({ maxLength: 12 });
const act: fc.Arbitrary<Act> = fc.record(
  {
    what: fc.constantFrom(...acts),
    by: fc.oneof(fc.record({ person: text, name: text }), fc.record({ rule: text })),
    node: fc.record({ name: text, uid: text, instanceId: text }),
    detail: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean())),
  },
  { requiredKeys: ["what"] },
);
const chains = fc
  .array(act, { minLength: 1, maxLength: 12 })
  .map((written) => chainOf([...written, { what: "ended" }]));
const place = (entries: readonly AuditEntry[]) => fc.nat(entries.length - 1);
const withPlace = chains.chain((entries) => fc.tuple(fc.constant(entries), place(entries), place(entries)));

describe("A chain of entries", () => {
  it("is intact as it was written, and its head is its last entry", () => {
    fc.assert(
      fc.property(chains, (entries) => {
        const last = entries.at(-1) as AuditEntry;
        expect(judged(entries, last)).toEqual({
          kind: "intact",
          head: { sequence: last.sequence, hash: last.hash },
        });
      }),
    );
  });

  it("is not intact when any field of any entry was changed", () => {
    const fields = ["at", "mark", "what", "by", "node", "detail", "previous", "hash", "cluster", "chain"] as const;
    fc.assert(
      fc.property(withPlace, fc.constantFrom(...fields), ([entries, at], field) => {
        const changed = entries.with(at, { ...(entries[at] as AuditEntry), [field]: "forged" } as AuditEntry);
        expect(judged(changed, entries.at(-1) ?? null)).toEqual({ kind: "changed", at: at + 1 });
      }),
    );
  });

  it("is not intact when an entry was changed and given the hash that fits it", () => {
    fc.assert(
      fc.property(withPlace, ([entries, at]) => {
        const forged = { ...(entries[at] as AuditEntry), by: { person: "U0FORGER" } };
        const changed = entries.with(at, { ...forged, hash: entryHash(forged) });
        expect(judged(changed, entries.at(-1) ?? null).kind).toBe("changed");
      }),
    );
  });

  it.each([
    ["cluster", { cluster: "prod-east" }],
    ["chain", { chain: "remove-00000000" }],
    ["place", { sequence: 0 }],
  ])("is not intact when an entry names another %s, though its hashes fit", (_, field) => {
    const [first] = chainOf([{ what: "ended" }]);
    const forged = { ...(first as AuditEntry), ...field };
    const entry = { ...forged, hash: entryHash(forged) };
    expect(judged([entry], { sequence: 1, hash: entry.hash })).toEqual({ kind: "changed", at: 1 });
  });

  it("is not intact when entries are missing, wherever they stood", () => {
    fc.assert(
      fc.property(withPlace, ([entries, at]) => {
        const left = entries.toSpliced(at, 1);
        const isLast = at === entries.length - 1;
        expect(judged(left, entries.at(-1) ?? null)).toEqual({ kind: isLast ? "truncated" : "missing", at: at + 1 });
      }),
    );
    expect(judged([], { sequence: 2, hash: "ab" })).toEqual({ kind: "truncated", at: 1 });
  });

  it("is not intact when two entries changed places", () => {
    fc.assert(
      fc.property(withPlace, ([entries, one, other]) => {
        fc.pre(one !== other);
        const moved = entries.with(one, entries[other] as AuditEntry).with(other, entries[one] as AuditEntry);
        expect(["changed", "missing"]).toContain(judged(moved, entries.at(-1) ?? null).kind);
      }),
    );
  });

  it("is not intact when an entry was inserted, in the middle or behind its end", () => {
    fc.assert(
      fc.property(withPlace, act, ([entries, at], more) => {
        const next = { at: "2026-11-22T08:00:00.000Z", mark: "inserted", act: more };
        const inserted = entryAfter({ cluster, chain, head: entries[at] as AuditEntry }, next);
        const longer = entries.toSpliced(at + 1, 0, inserted);
        expect(["changed", "extended"]).toContain(judged(longer, entries.at(-1) ?? null).kind);
      }),
    );
  });

  it("is not intact when all of it was written anew, since the head was noted elsewhere", () => {
    fc.assert(
      fc.property(chains, (entries) => {
        const anew = chainOf(entries.map(({ what }) => ({ what, by: { person: "U0FORGER" } })));
        expect(judged(anew, entries.at(-1) ?? null)).toEqual({ kind: "changed", at: entries.length });
      }),
    );
  });

  it("does not pass for the chain of another operation or cluster", () => {
    const written: Act[] = [{ what: "requested" }, { what: "ended" }];
    for (const other of [chainOf(written, { operation: "remove-00000000" }), chainOf(written, chain, "prod-east")])
      expect(judged(other, other.at(-1) ?? null)).toEqual({ kind: "changed", at: 1 });
  });

  it("may be one entry ahead of its head while its operation runs", () => {
    const entries = chainOf([{ what: "requested" }, { what: "started" }]);
    const [first = null, second] = entries;
    expect(judged(entries, first, false)).toMatchObject({ kind: "intact", head: { sequence: 2, hash: second?.hash } });
    expect(judged(entries, first, true)).toEqual({ kind: "truncated", at: 3 });
    expect(judged([], null, false)).toEqual({ kind: "empty" });
  });

  it("is extended where it has ended, and entries follow its head, or there is no head", () => {
    const entries = chainOf([{ what: "requested" }, { what: "ended" }, { what: "started" }]);
    const [first = null, ended = null, last = null] = entries;
    expect(judged(entries, ended)).toEqual({ kind: "extended", at: 3 });
    expect(judged(entries, first)).toEqual({ kind: "extended", at: 2 });
    expect(judged(entries, null)).toEqual({ kind: "extended", at: 1 });
    expect(judged(entries, last)).toMatchObject({ kind: "intact" });
  });
});

describe("Canonical JSON", () => {
  it("is the same for equal values, in whatever order their names came", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonical(value as Json))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
    expect(canonical({ b: [1, { d: null, c: true }], a: undefined, A: "ä\n" })).toBe(
      '{"A":"ä\\n","b":[1,{"c":true,"d":null}]}',
    );
  });
});

describe("The copy of an entry", () => {
  it("has a key of its own for each cluster, day, chain and place", () => {
    const [first] = chainOf([{ what: "requested" }]);
    const [child] = chainOf([{ what: "started" }], { operation: "add-3f9c2a71", index: 12 });
    expect(exportKey(first as AuditEntry, "2026-11-20T23:59:00.000Z")).toBe(
      "audit/prod-west/2026-11-20/remove-3f9c2a71/0001.json",
    );
    expect(exportKey(child as AuditEntry, "2026-11-20T23:59:00.000Z")).toBe(
      "audit/prod-west/2026-11-20/add-3f9c2a71/node-0012/0001.json",
    );
  });
});
