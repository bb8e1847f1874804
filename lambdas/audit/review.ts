import type { NodeRecord, OperationRecord } from "../records/records.ts";
import { type AuditEntry, type Chain, chainName } from "./entry.ts";
import type { Head } from "./head.ts";
import { type ChainVerdict, verifyChain } from "./verify.ts";

/** A chain as it was read from the ledger, in the order of its keys. */
export interface ReadChain {
  readonly chain: Chain;
  readonly entries: readonly AuditEntry[];
}

/** A chain and the result of verifying it. */
export interface ReviewedChain extends ReadChain {
  readonly verdict: ChainVerdict;
  /** Comparison of its last entry with the copy in the bucket; "unknown" if S3 was not called or did not answer. */
  readonly copy: "same" | "different" | "none" | "unknown";
}

/** Lists the chains of an operation: its own, and the chains that its nodes' executions write. */
export const chainsOf = (operation: string, nodes: readonly NodeRecord[]): Chain[] => [
  { operation },
  ...nodes.filter(({ audit }) => audit !== undefined).map(({ index }) => ({ operation, index })),
];

/** Reads the heads of the nodes' chains from the end of the operation's own chain: name of the chain → head. */
function promisedHeads(entries: readonly AuditEntry[]): ReadonlyMap<string, Head> {
  const end = entries.findLast(({ what }) => what === "ended");
  return new Map(Object.entries(Object(end?.detail?.chains)) as [string, Head][]);
}

/**
 * Verifies all chains of an operation: the operation's own by the head in its record, and those of its nodes, once the
 * operation has ended, by the heads that its end holds.
 */
export function review(
  { cluster, audit, endedAt }: Pick<OperationRecord, "cluster" | "audit" | "endedAt">,
  nodes: readonly NodeRecord[],
  read: readonly ReadChain[],
): ReviewedChain[] {
  const promised = promisedHeads(read.find(({ chain }) => chain.index === undefined)?.entries ?? []);
  return read.map(({ chain, entries }) => {
    const name = chainName(chain);
    const node = nodes.find(({ index }) => index === chain.index);
    const head = (node ? (promised.get(name) ?? node.audit) : audit) ?? null;
    const hasEnded = (node ? node.endedAt : endedAt) !== null;
    const verdict = verifyChain(entries, { cluster, chain: name, head, hasEnded });
    return { chain, entries, verdict, copy: "unknown" };
  });
}
