import { MINUTE, step } from "../../engine/durable.ts";
import { movedWhy, neverBegan, timingBlocks, type WaitingState } from "../../messages/maintenance/schedule.ts";
import type { Approval, ApprovalBasis } from "../../records/approval.ts";
import { checkAfterWait } from "../node/choose.ts";
import type { Op } from "../operation/op.ts";
import { postpone } from "../operation/scheduled.ts";
import { judgeTime, type TimedWork, type When, windowEnd } from "../operation/timing.ts";
import { type ApprovalEnd, type ApprovalRequest, type ApprovalTime, approve } from "./approval.ts";
import { useApproval } from "./approvers.ts";
import { endUnapproved, endUnbegun } from "./unapproved.ts";

/**
 * Milliseconds for which an execution waits for votes on work that begins later; after that a vote starts the next
 * execution.
 */
const PATIENCE_MS = 60 * MINUTE;

/** A plan that may need an approval and may have to wait for its window. */
export interface Gate extends TimedWork {
  readonly approval: ApprovalRequest;
  /** The command to retype. */
  readonly again: string;
  /** Judges `isRecovery` again once it is approved: a node that is Ready again has to wait for its window. In a step. */
  readonly isStillRecovery: () => Promise<boolean>;
}

/** The work as it is after the question, which may have taken hours. */
const timedNow = async (
  { pool, isRecovery, isStillRecovery }: Gate,
  { kind }: Pick<ApprovalEnd, "kind">,
): Promise<TimedWork> => ({
  pool,
  isRecovery: isRecovery && (kind !== "approved" || (await isStillRecovery())),
});

/** Work that may begin now. */
export interface ApprovedStart {
  readonly record: ApprovalBasis;
  /** End of its window in milliseconds since the epoch; null if no window binds it. */
  readonly windowEnds: number | null;
  /** The end of the window cancels it. */
  readonly isBound: boolean;
  /** People who approved it; none where no approval was needed or awaited. */
  readonly approvedBy: readonly string[];
}

/** Times of the approval: work that waits for a window may be approved until the window ends. */
function approvalTime(when: When, known: Approval | null, isWaiting: boolean): ApprovalTime {
  const { timing } = when;
  const isLater = timing.kind === "later";
  const ends = timing.kind === "later" || timing.kind === "now" ? timing.until : null;
  const waits = isLater || isWaiting;
  return {
    ...{ known, isLater, latest: isLater ? null : ends },
    until: waits ? (ends ?? (timing.kind === "later" ? timing.from + PATIENCE_MS : null)) : null,
    patienceMs: waits ? PATIENCE_MS : null,
  };
}

/** Adds the time of the beginning to the plan's card. */
const withTiming =
  ({ approval }: Gate, when: When): ApprovalRequest["judge"] =>
  async () => {
    const plan = await approval.judge();
    const [first, ...rest] = plan.card.blocks;
    const blocks = [...(first ? [first] : []), ...timingBlocks(when), ...rest];
    return { ...plan, card: { ...plan.card, blocks } };
  };

/** End of an operation that must not begin any more; null if it may begin or waits. */
export function approvalEnd(
  when: When,
  again: string,
): { readonly status: "cancelled"; readonly summary: string } | null {
  if (when.cancelledBy !== null) return { status: "cancelled", summary: neverBegan.cancelled(when.cancelledBy) };
  if (when.timing.kind === "missed") return { status: "cancelled", summary: neverBegan.missed(again) };
  return when.isTooOld ? { status: "cancelled", summary: neverBegan.tooLong(again) } : null;
}

/**
 * Judges the time again after the question, and the requester if the work begins by it: who has lost the role since changes
 * nothing. Belongs into a step.
 */
async function judgeAfter(op: Op, gate: Gate, end: Pick<ApprovalEnd, "kind">): Promise<When> {
  const when = await judgeTime(op, await timedNow(gate, end));
  const begins = when.timing.kind === "now" && approvalEnd(when, gate.again) === null;
  if (begins && end.kind === "approved") await checkAfterWait(op, gate.pool);
  return when;
}

/** Judges the time again after the question, and uses the approval if the work begins. */
async function openOrWait(
  op: Op,
  gate: Gate,
  end: Extract<ApprovalEnd, { record: ApprovalBasis }>,
): Promise<ApprovedStart | null> {
  const when = await step(op.ctx, "whether it may begin now", () => judgeAfter(op, gate, end));
  const over = approvalEnd(when, gate.again);
  if (over) return endUnbegun(op, over).then(() => null);
  if (when.timing.kind === "now") {
    if (end.kind === "approved") await useApproval(op, end.asking);
    return {
      record: end.record,
      windowEnds: windowEnd(when),
      isBound: when.isBound,
      approvedBy: end.kind === "approved" ? end.by : [],
    };
  }
  const state: WaitingState = { kind: end.kind === "approved" ? "approved" : "not needed" };
  await postpone(op, { state, when, nodes: end.record.nodes });
  return null;
}

/** Ends the operation after a question without approval, or lets it wait if it has another window. */
async function waitOrEnd(op: Op, gate: Gate, end: Exclude<ApprovalEnd, { record: ApprovalBasis }>): Promise<null> {
  const { ctx, steps, start } = op;
  const { operation } = start;
  const when = await step(ctx, "whether it still waits", () => judgeTime(op, gate));
  if (end.kind === "undecided") {
    await postpone(op, { state: { kind: "undecided" }, when, open: end });
    return null;
  }
  if (end.kind !== "lapsed" || when.timing.kind !== "later") {
    await endUnapproved(op, end, gate.again);
    return null;
  }
  const asked = await step(ctx, "the question that lapsed", () => steps.ledger.operation(operation));
  const open = asked?.approval ? { open: { approval: asked.approval, seen: asked.approval.votes.length } } : {};
  await postpone(op, { state: { kind: "moved", why: movedWhy.unapproved }, when, ...open });
  return null;
}

/** Lets the operation wait for the next window after it has missed one, with the reason in its message. */
async function waitAgain(op: Op, when: When, asked: Approval | null): Promise<null> {
  const isOpen = asked?.state === "open";
  const state: WaitingState = { kind: "moved", why: isOpen ? movedWhy.unapproved : movedWhy.late };
  const open = isOpen ? { open: { approval: asked, seen: asked.votes.length } } : {};
  await postpone(op, { state, when, ...open });
  return null;
}

/**
 * Asks for the approval that a plan needs, and parks the operation in the ledger if its time has not come.
 * @returns null when the work does not begin now: it waits, or it has ended
 * @throws UserError, Refused and Forbidden of `judgeTime` and of the plan's `judge`
 */
export async function passGate(op: Op, gate: Gate): Promise<ApprovedStart | null> {
  const { ctx, steps, start } = op;
  const { operation } = start;
  const when = await step(ctx, "when it may begin", () => judgeTime(op, gate));
  const over = approvalEnd(when, gate.again);
  if (over) return endUnbegun(op, over).then(() => null);
  const isWaiting = start.continues !== undefined;
  const before = isWaiting ? await step(ctx, "what was asked before", () => steps.ledger.operation(operation)) : null;
  if (when.isSlotOver && when.timing.kind !== "now") return waitAgain(op, when, before?.approval ?? null);
  const time = approvalTime(when, before?.approval ?? null, isWaiting);
  const end = await approve(op, { ...gate.approval, judge: withTiming(gate, when), time });
  return "record" in end ? openOrWait(op, gate, end) : waitOrEnd(op, gate, end);
}
