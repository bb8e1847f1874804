import { type AuditEntry, chainName } from "../../audit/entry.ts";
import { isChange } from "../../commands/list.ts";
import type { Request } from "../../commands/request.ts";
import { atMost } from "../../engine/chunks.ts";
import { UserError } from "../../errors.ts";
import type { Message, OperationRecord } from "../../records/records.ts";
import type { Steps } from "../../steps/steps.ts";
import { DAY_MS } from "../../time/zones.ts";
import { auditMessage, type FoundAudit } from "./audit-message.ts";
import { compareCopies, copyPlaces } from "./copies.ts";
import { chainsOf, type ReviewedChain, review } from "./review.ts";
import { type AuditSubject, concerns, subjectOf } from "./subject.ts";

type AuditRequest = Extract<Request, { command: "audit" }>;

/** Days searched by default: a node or a person has few entries a day. */
const DAYS: Readonly<Record<AuditSubject["kind"], number>> = { everything: 7, operation: 0, person: 30, node: 30 };

/** Requests that are read for the last days; looks are among them. */
const MOST_REQUESTS = 1_000;

/** Operations verified in one look, which takes at most 20 seconds. */
const MOST_OPERATIONS = 100;

/** Operations read concurrently. */
const AT_ONCE = 10;

/** Names of the chains with entries that S3 did not take. */
type LateChains = ReadonlySet<string>;

const lateChains = async (steps: Steps): Promise<LateChains> =>
  new Set((await steps.audit.lateExports()).map(({ chain }) => chainName(chain)));

/** Copies of one chain read concurrently. */
const COPIES_AT_ONCE = 10;

/** Compares each entry of a chain with its copy, and looks for a copy after the last one. */
async function withCopies(
  steps: Steps,
  { cluster, requestedAt }: OperationRecord,
  reviewed: ReviewedChain,
  late: LateChains,
): Promise<ReviewedChain> {
  const { chain, entries } = reviewed;
  const name = chainName(chain);
  const readCopy = (sequence: number, at: number): Promise<AuditEntry | null> =>
    steps.audit.copy({ cluster, chain: name, sequence }, { request: requestedAt, entry: entries[at]?.at });
  try {
    const copies = await atMost(COPIES_AT_ONCE, copyPlaces(entries), readCopy);
    return { ...reviewed, copy: compareCopies(entries, copies, { isLate: late.has(name), now: steps.now() }) };
  } catch {
    return { ...reviewed, copy: { kind: "unknown" } };
  }
}

/** Reads all chains of an operation, verifies them, and compares them with their copies. */
async function reviewOnce(steps: Steps, operation: OperationRecord, late: LateChains): Promise<ReviewedChain[]> {
  const { id } = operation;
  const own = await steps.audit.entries({ operation: id });
  const [nodes, named] = await Promise.all([steps.ledger.nodes(id), steps.audit.nodeChains(id)]);
  const [first, ...others] = chainsOf(id, nodes, named, own);
  const read = await atMost(COPIES_AT_ONCE, others, async (chain) => ({
    chain,
    entries: await steps.audit.entries(chain),
  }));
  const chains = review(operation, nodes, [...(first ? [{ chain: first, entries: own }] : []), ...read]);
  return Promise.all(chains.map((one) => withCopies(steps, operation, one, late)));
}

/** Reviews an operation, once more if the bucket has more than the ledger had: an entry may have come in between. */
async function reviewed(steps: Steps, operation: OperationRecord, late: LateChains): Promise<ReviewedChain[]> {
  const chains = await reviewOnce(steps, operation, late);
  if (!chains.some(({ copy }) => copy.kind === "more")) return chains;
  return reviewOnce(steps, (await steps.ledger.operation(operation.id)) ?? operation, late);
}

/** Chains of the operations that concern the subject. */
async function reviewedOf(steps: Steps, operations: readonly OperationRecord[], subject: AuditSubject) {
  const found: ReviewedChain[][] = [];
  const late = await lateChains(steps);
  for (let at = 0; at < operations.length; at += AT_ONCE)
    found.push(...(await Promise.all(operations.slice(at, at + AT_ONCE).map((one) => reviewed(steps, one, late)))));
  return found.filter((chains) => chains.some(({ entries }) => entries.some((one) => concerns(one, subject)))).flat();
}

/** The error for an operation without a record: its audit may be there. */
async function noOperation(steps: Steps, id: string): Promise<UserError> {
  const entries = await steps.audit.entries({ operation: id });
  return new UserError(
    entries.length === 0
      ? `The ledger holds no operation ${id}.`
      : `The ledger holds an audit of ${id} and no record of the operation: its record was removed, or has expired.`,
  );
}

/** Audit of one operation. @throws UserError when the ledger has no such operation */
async function ofOperation(steps: Steps, subject: Extract<AuditSubject, { kind: "operation" }>): Promise<FoundAudit> {
  const operation = await steps.ledger.operation(subject.id);
  if (!operation) throw await noOperation(steps, subject.id);
  const chains = await reviewed(steps, operation, await lateChains(steps));
  return { subject, chains, days: null, isCut: false };
}

async function ofDays(steps: Steps, subject: AuditSubject, days: number): Promise<FoundAudit> {
  const since = new Date(steps.now() - days * DAY_MS).toISOString();
  const listed = await steps.ledger.operations(MOST_REQUESTS);
  const within = listed.filter(({ request, requestedAt }) => isChange(request.command) && requestedAt >= since);
  const oldest = listed.at(-1)?.requestedAt ?? "";
  const isCut = within.length > MOST_OPERATIONS || (listed.length === MOST_REQUESTS && oldest >= since);
  const chains = await reviewedOf(steps, within.slice(0, MOST_OPERATIONS), subject);
  return { subject, chains, days, isCut };
}

/**
 * Shows and verifies the requested part of the audit.
 * @throws UserError when the ledger has no such operation
 */
export async function showAudit(steps: Steps, { of, days }: AuditRequest): Promise<Message> {
  const subject = subjectOf(of);
  const found =
    subject.kind === "operation"
      ? await ofOperation(steps, subject)
      : await ofDays(steps, subject, days ?? DAYS[subject.kind]);
  return auditMessage(found);
}
