import { chainsOf, type ReviewedChain, review } from "../../audit/review.ts";
import { type AuditSubject, concerns, subjectOf } from "../../audit/subject.ts";
import { isChange } from "../../commands/list.ts";
import type { Request } from "../../commands/request.ts";
import { UserError } from "../../errors.ts";
import type { Message, OperationRecord } from "../../records/records.ts";
import type { Steps } from "../../steps/steps.ts";
import { DAY_MS } from "../../time/zones.ts";
import { auditMessage, type FoundAudit } from "./audit-message.ts";

type AuditRequest = Extract<Request, { command: "audit" }>;

/** Days searched by default: a node or a person has few entries a day. */
const DAYS: Readonly<Record<AuditSubject["kind"], number>> = { everything: 7, operation: 0, person: 30, node: 30 };

/** Requests that are read for the last days; looks are among them. */
const MOST_REQUESTS = 1_000;

/** Operations verified in one look, which takes at most 20 seconds. */
const MOST_OPERATIONS = 100;

/** Operations read concurrently. */
const AT_ONCE = 10;

async function reviewed(steps: Steps, operation: OperationRecord): Promise<ReviewedChain[]> {
  const nodes = await steps.ledger.nodes(operation.id);
  const chains = chainsOf(operation.id, nodes);
  const read = await Promise.all(chains.map(async (chain) => ({ chain, entries: await steps.audit.entries(chain) })));
  return review(operation, nodes, read);
}

/** Compares the last entry of each chain with its copy. If S3 does not answer, the result is "unknown". */
const withCopies = (steps: Steps, chains: readonly ReviewedChain[]): Promise<ReviewedChain[]> =>
  Promise.all(
    chains.map(async (one) => {
      const last = one.entries.at(-1);
      const copy = last ? await steps.audit.compareCopy(last).catch(() => "unknown" as const) : "unknown";
      return { ...one, copy };
    }),
  );

/** Chains of the operations that concern the subject. */
async function reviewedOf(steps: Steps, operations: readonly OperationRecord[], subject: AuditSubject) {
  const found: ReviewedChain[][] = [];
  for (let at = 0; at < operations.length; at += AT_ONCE)
    found.push(...(await Promise.all(operations.slice(at, at + AT_ONCE).map((one) => reviewed(steps, one)))));
  return found.filter((chains) => chains.some(({ entries }) => entries.some((one) => concerns(one, subject)))).flat();
}

/** Audit of one operation. @throws UserError when the ledger has no such operation */
async function ofOperation(steps: Steps, subject: Extract<AuditSubject, { kind: "operation" }>): Promise<FoundAudit> {
  const operation = await steps.ledger.operation(subject.id);
  if (!operation) throw new UserError(`The ledger holds no operation ${subject.id}.`);
  const chains = await withCopies(steps, await reviewed(steps, operation));
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
