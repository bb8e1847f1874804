import { describe, expect, test } from "vitest";
import { type Act, type AuditEntry, type Chain, entryAfter } from "../../../lambdas/audit/entry.ts";
import type { Head } from "../../../lambdas/audit/head.ts";
import { chainsOf, review } from "../../../lambdas/capabilities/audit/review.ts";
import { NOW, nodeRecord, operationRecord } from "../../messages/records.ts";

const own = { operation: "add-3f9c2a71" };
const ofNode = { operation: "add-3f9c2a71", index: 0 };

function chainOf(chain: Chain, acts: readonly Act[]): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (const [at, act] of acts.entries())
    entries.push(
      entryAfter({ cluster: "prod-west", chain, head: entries.at(-1) ?? null }, { at: NOW, mark: String(at), act }),
    );
  return entries;
}
const headOf = (entries: readonly AuditEntry[]): Head => {
  const { sequence, hash } = entries.at(-1) as AuditEntry;
  return { sequence, hash };
};

const nodeEntries = chainOf(ofNode, [{ what: "started" }, { what: "ended" }]);
const nodeHead = headOf(nodeEntries);
const entries = chainOf(own, [
  { what: "requested" },
  { what: "ended", detail: { chains: { "add-3f9c2a71:0": { ...nodeHead } } } },
]);
const operation = operationRecord({ endedAt: NOW, audit: headOf(entries) });
const node = nodeRecord({ endedAt: NOW, audit: nodeHead });
const verdicts = (read: Parameters<typeof review>[2], nodes = [node], of = operation) =>
  review(of, nodes, read).map(({ verdict }) => verdict);

describe("The review of an operation's chains", () => {
  test("is of its own chain, and of each node whose execution writes one", () => {
    expect(chainsOf(own.operation, [node, nodeRecord({ index: 1 })], [], [])).toEqual([own, ofNode]);
  });

  test("is of a node's chain whichever place names it", () => {
    const { audit: _, ...unheaded } = node;
    expect(chainsOf(own.operation, [unheaded], [], [])).toEqual([own]);
    expect(chainsOf(own.operation, [unheaded], [0], [])).toEqual([own, ofNode]);
    expect(chainsOf(own.operation, [unheaded], [], entries)).toEqual([own, ofNode]);
  });

  test("finds both intact, and leaves the copy open", () => {
    const read = [
      { chain: own, entries },
      { chain: ofNode, entries: nodeEntries },
    ];
    expect(review(operation, [node], read)).toEqual([
      { chain: own, entries, verdict: { kind: "intact", head: headOf(entries) }, copy: { kind: "unknown" } },
      { chain: ofNode, entries: nodeEntries, verdict: { kind: "intact", head: nodeHead }, copy: { kind: "unknown" } },
    ]);
  });

  test("finds an own chain without the end that its record names", () => {
    expect(verdicts([{ chain: own, entries: entries.slice(0, 1) }])).toEqual([{ kind: "truncated", at: 2 }]);
    const { audit: _, ...unheaded } = operation;
    expect(verdicts([{ chain: own, entries: entries.slice(0, 1) }], [node], unheaded)).toEqual([
      { kind: "truncated", at: 2 },
    ]);
  });

  test("holds a node's chain to the head in the operation's end, not to the one in the node's record", () => {
    const rewritten = chainOf(ofNode, [{ what: "started", detail: { stage: "launch" } }, { what: "ended" }]);
    const forged = nodeRecord({ endedAt: NOW, audit: headOf(rewritten) });
    const read = [
      { chain: own, entries },
      { chain: ofNode, entries: rewritten },
    ];
    expect(verdicts(read, [forged])[1]).toEqual({ kind: "changed", at: 2 });
    expect(verdicts([{ chain: ofNode, entries: rewritten }], [forged])).toEqual([
      { kind: "intact", head: headOf(rewritten) },
    ]);
  });

  test("lets a running chain be one entry ahead of its head", () => {
    const running = operationRecord({ audit: headOf(entries.slice(0, 1)) });
    expect(
      verdicts([{ chain: own, entries: chainOf(own, [{ what: "requested" }, { what: "asked" }]) }], [], running),
    ).toEqual([{ kind: "intact", head: expect.objectContaining({ sequence: 2 }) }]);
  });

  test("finds nothing wrong with an operation that kept no audit", () => {
    const { audit: _, ...before } = operation;
    expect(verdicts([{ chain: own, entries: [] }], [], before)).toEqual([{ kind: "empty" }]);
  });
});
