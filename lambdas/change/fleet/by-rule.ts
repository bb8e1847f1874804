import { atMost, RECORDS_AT_ONCE } from "../../engine/chunks.ts";
import { step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import { withAudit } from "../../messages/operation/audit-head.ts";
import {
  type FleetResult,
  type FleetSummary,
  type FleetWords,
  fleetMessage,
  fleetNotice,
  fleetSummary,
} from "../../messages/operation/fleet.ts";
import { type Origin, originated } from "../../records/origin.ts";
import { type OperationOpening, openOperation, startOf } from "../../steps/open-operation.ts";
import { beginOperation } from "../operation/lifecycle.ts";
import { postEnding } from "../operation/publisher.ts";
import { cancelledBy } from "../operation/requester.ts";
import { changeFleet } from "./change-fleet.ts";
import type { FleetMachine, FleetOperation, FleetRow } from "./row.ts";
import { settleLeft } from "./settle.ts";

/** The rule that starts an operation, and the words of its messages. */
export interface Rule {
  readonly origin: Origin;
  readonly opening: OperationOpening;
  readonly words: FleetWords;
  /** Claims the rule for this operation. @returns false while another operation of the rule has not ended */
  readonly claim: () => Promise<boolean>;
}

/**
 * The parts of a row that all rules share: nobody waits for these machines, so leased ones are left to the next tick.
 */
type RuledParts<M extends FleetMachine> = Pick<FleetRow<M>, "choose" | "onHeld" | "onClaimed" | "endOf">;

/** Ends an operation if other operations have leased all of its nodes since it chose them. */
async function endUnused({ steps, operation }: FleetOperation): Promise<void> {
  if ((await steps.ledger.operation(operation))?.endedAt !== null) return;
  await steps.ledger.changeOperation(operation, {
    status: "cancelled",
    summary: "Other operations work on every node that is due; the next tick takes them.",
    endedAt: steps.timestamp(),
  });
}

/**
 * Makes the shared parts of a rule's row: it opens the operation only if there is a machine that no other operation
 * holds.
 * @param stillDue selects machines once the rule is claimed: another operation may have changed them meanwhile
 */
export const startedBy = <M extends FleetMachine>(
  op: FleetOperation,
  rule: Rule,
  stillDue: (machines: readonly M[]) => Promise<readonly M[]>,
): RuledParts<M> => ({
  choose: async (machines) => {
    const { ctx, steps, operation } = op;
    const holders = await atMost(RECORDS_AT_ONCE, machines, ({ instanceId }) => steps.leases.holder(instanceId ?? ""));
    const free = machines.filter((_, at) => (holders[at] ?? operation) === operation);
    if (free.length === 0 || !(await rule.claim())) return [];
    const due = await stillDue(free);
    if (due.length === 0) return [];
    const { record } = await openOperation(steps, rule.origin, rule.opening);
    await beginOperation({ ctx, steps, start: startOf(record) });
    return due;
  },
  onHeld: () => ({ state: "untouched", why: "another operation works on it; the next tick takes it" }),
  onClaimed: async (count) => {
    if (count === 0) await endUnused(op);
    return null;
  },
  endOf: (outcome) => {
    if (outcome.state === "changed") return { status: "succeeded", outcome: null };
    return { status: outcome.state === "untouched" ? "cancelled" : "failed", outcome: outcome.why };
  },
});

async function end({ steps }: FleetOperation, change: FleetSummary, rule: Rule, messageTs: string | null) {
  await steps.ledger.changeOperation(change.operation, {
    status: change.failed.length === 0 ? "succeeded" : change.cancelledBy === null ? "failed" : "cancelled",
    summary: fleetSummary(change),
    endedAt: steps.timestamp(),
    messageTs,
  });
  const operation = await steps.ledger.operation(change.operation);
  if (messageTs === null || !operation) return;
  const last = withAudit(fleetMessage(change, originated(rule.origin), rule.words), operation.audit);
  // Best effort: the result is recorded and posted; only the audit hash is missing.
  await steps.thread.update(rule.opening.channel, messageTs, last).catch(() => undefined);
}

/** Posts the end of the operation and pages people about a failure, unless a person has cancelled it. */
async function tellEnd(op: FleetOperation, rule: Rule, result: FleetResult): Promise<void> {
  const { ctx, steps, operation } = op;
  const hasFailed = result.failed.length > 0;
  const by = await step(ctx, "ask whether it was cancelled", () => cancelledBy(steps, operation));
  const change: FleetSummary = { ...result, operation, cancelledBy: hasFailed ? by : null };
  if (hasFailed && by === null) await escalate(ctx, steps, operation, fleetNotice(change, rule.words));
  const message = fleetMessage(change, originated(rule.origin), rule.words);
  const post = () => steps.thread.post(rule.opening.channel, message, operation);
  // If Slack is down, the sweep shows the end.
  const messageTs = await step(ctx, "say what changed", () => postEnding(steps, operation, post)).catch(() => null);
  await step(ctx, "end", () => end(op, change, rule, messageTs));
}

/**
 * Changes machines for a rule and posts the end. After an error it settles the remaining machines.
 * @throws the error if no machine was claimed
 */
export async function changeByRule<M extends FleetMachine>(
  op: FleetOperation,
  rule: Rule,
  row: FleetRow<M>,
  machines: readonly M[],
): Promise<void> {
  let result: FleetResult | null;
  try {
    result = (await changeFleet(op, row, machines)).result;
  } catch (error) {
    result = await settleLeft(op, row, error);
    if (result === null) throw error;
  }
  if (result !== null) await tellEnd(op, rule, result);
}
