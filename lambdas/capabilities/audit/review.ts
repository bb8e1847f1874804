import { type AuditEntry, type Chain, chainName } from "../../audit/entry.ts";
import type { Head } from "../../audit/head.ts";
import type { NodeRecord, OperationRecord } from "../../records/records.ts";
import type { CopyVerdict } from "./copies.ts";
import { type ChainVerdict, verifyChain } from "./verify.ts";

/** A chain as it was read from the ledger, in the order of its keys. */
export interface ReadChain {
  readonly chain: Chain;
  readonly entries: readonly AuditEntry[];
}

/** A chain and the result of verifying it. */
export interface ReviewedChain extends ReadChain {
  readonly verdict: ChainVerdict;
  /** Comparison of its entries with their copies in the bucket. */
  readonly copy: CopyVerdict;
}

/** Reads the heads of the nodes' chains from the end of the operation's own chain: name of the chain → head. */
function promisedHeads(entries: readonly AuditEntry[]): ReadonlyMap<string, Head> {
  const end = entries.findLast(({ what }) => what === "ended");
  return new Map(Object.entries(Object(end?.detail?.chains)) as [string, Head][]);
}

/**
 * Lists the chains of an operation: its own, and those that its nodes' executions write, by whichever place names them. No
 * role may write all of these places.
 * @param named indexes of nodes that the audit's own partition names
 * @param entries of the operation's own chain
 */
export function chainsOf(
  operation: string,
  nodes: readonly NodeRecord[],
  named: readonly number[],
  entries: readonly AuditEntry[],
): Chain[] {
  const headed = nodes.filter(({ audit }) => audit !== undefined).map(({ index }) => index);
  const promised = [...promisedHeads(entries).keys()].map((chain) => Number(chain.split(":")[1]));
  const indexes = [...new Set([...headed, ...named, ...promised])].sort((one, other) => one - other);
  return [{ operation }, ...indexes.map((index) => ({ operation, index }))];
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
    const head = (chain.index === undefined ? audit : (promised.get(name) ?? node?.audit)) ?? null;
    const hasEnded = (node ? node.endedAt : endedAt) !== null;
    const verdict = verifyChain(entries, { cluster, chain: name, head, hasEnded });
    return { chain, entries, verdict, copy: { kind: "unknown" } };
  });
}
