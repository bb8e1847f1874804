import { numbered } from "../../engine/chunks.ts";
import { causeOf, failureReason } from "../../engine/durable.ts";
import { type FleetResult, leftToNewer } from "../../messages/operation/fleet.ts";
import type { FailureCode } from "../../records/failures.ts";
import type { PublishedMessage } from "../../records/records.ts";
import { claimMachines } from "./claim.ts";
import type { FleetMachine, FleetOperation, FleetRow, Member, Outcome, SendPlan, Trial, TrialNames } from "./row.ts";
import { sendRound } from "./send.ts";
import { type Settlement, settle } from "./settle.ts";

/** Result of a change of many machines, null if the operation holds none, and the operation's message. */
export interface FleetEnd {
  readonly result: FleetResult | null;
  readonly published: PublishedMessage | null;
}

/** Result of the machine that is changed first. */
interface TrialEnd {
  readonly outcome: Outcome;
  /** The part that failed; null if the machine works. */
  readonly failedAt: "change" | "proof" | null;
  /** Remark on the proof. */
  readonly note: string | null;
}

/** Restores the first machine. @returns a clause about the outcome, which follows the reason of the failure */
async function undoFirst<M extends FleetMachine>(
  op: FleetOperation,
  sending: SendPlan<M>,
  { names, undo }: Trial<M>,
  first: Member<M>,
): Promise<string> {
  if (!undo) return "";
  const { verify: _, ...way } = sending;
  const round = { plan: `plan: ${names.undo}`, send: names.undo };
  const lost = (why: string): string => `; what was there before could not be given back: ${why}`;
  try {
    const end = (await sendRound(op, { ...way, plan: undo }, round, [first]))(first);
    return end.state === "changed" ? "; what was there before is back" : lost(end.why);
  } catch (error) {
    return lost(causeOf(error).message);
  }
}

/** Failures without an answer of the machine: then it takes no command that restores it either. */
const unanswered: ReadonlySet<string> = new Set<FailureCode>([
  "agent-silent",
  "agent-broken",
  "command-undelivered",
  "command-cancelled",
  "command-waits",
  "result-missing",
  "script-slow",
]);

/** Failures of machines that did not get the command, so that they prove nothing about the change. */
const untaken: ReadonlySet<string> = new Set<FailureCode>(["agent-silent", "command-undelivered", "command-waits"]);

/** Did the machine's agent not take the command? */
const isUntaken = (outcome: Outcome): boolean =>
  outcome.state === "failed" && outcome.code !== undefined && untaken.has(outcome.code);

/** Most machines that are tried first: each silent one takes the minutes of a command. */
const MOST_FIRST = 3;

/** Did the machine's script stop in the middle of the change? */
const isHalfDone = (outcome: Outcome): boolean =>
  outcome.state === "failed" && outcome.code !== undefined && !unanswered.has(outcome.code);

async function tryFirst<M extends FleetMachine>(
  op: FleetOperation,
  sending: SendPlan<M>,
  trial: Trial<M>,
  first: Member<M>,
): Promise<TrialEnd> {
  const outcome = (await sendRound(op, sending, trial.names, [first]))(first);
  if (outcome.state !== "changed") {
    const undone = isHalfDone(outcome) ? await undoFirst(op, sending, trial, first) : "";
    return { outcome: { ...outcome, why: `${outcome.why}${undone}` }, failedAt: "change", note: null };
  }
  try {
    return { outcome, failedAt: null, note: await trial.prove(first) };
  } catch (error) {
    const { why, ...code } = failureReason(error);
    const undone = await undoFirst(op, sending, trial, first);
    return { outcome: { state: "failed", why: `${why}${undone}`, ...code }, failedAt: "proof", note: null };
  }
}

function resultOf<M extends FleetMachine>(settlements: readonly Settlement<M>[], note: string | null): FleetResult {
  return {
    changed: settlements.flatMap(({ member, outcome }) => (outcome.state === "changed" ? [member.name] : [])),
    failed: settlements.flatMap(({ member, outcome }) =>
      outcome.state === "changed" ? [] : [{ node: member.name, why: outcome.why }],
    ),
    untouched: [],
    note,
  };
}

async function changeRest<M extends FleetMachine>(
  op: FleetOperation,
  row: FleetRow<M>,
  sending: SendPlan<M>,
  rest: readonly Member<M>[],
): Promise<readonly Settlement<M>[]> {
  if (rest.length === 0) return [];
  const outcomeOf = await sendRound(op, sending, row.rest, rest);
  const settlements = rest.map((member): Settlement<M> => ({ member, outcome: outcomeOf(member) }));
  await settle(op, row, settlements, { name: row.rest.settle });
  return settlements;
}

/** Leaves machines to another change that is wanted by now. */
async function leaveRest<M extends FleetMachine>(
  op: FleetOperation,
  row: FleetRow<M>,
  rest: readonly Member<M>[],
): Promise<Pick<FleetResult, "untouched" | "untouchedBecause">> {
  const outcome: Outcome = { state: "untouched", why: `not touched: ${leftToNewer}` };
  const settlements = rest.map((member): Settlement<M> => ({ member, outcome }));
  await settle(op, row, settlements, { name: row.rest.settle });
  return { untouched: rest.map(({ name }) => name), untouchedBecause: leftToNewer };
}

/** Names of the nth try of a first machine, counted from 0. */
const namesOfTry = ({ plan, send, settle: settling, undo }: TrialNames, at: number): TrialNames => ({
  plan: numbered(plan, at),
  send: numbered(send, at),
  settle: numbered(settling, at),
  undo: numbered(undo, at),
});

/** Machines of which one is changed first. */
interface TrialMembers<M extends FleetMachine> {
  readonly first: Member<M>;
  readonly rest: readonly Member<M>[];
  /** Number of machines that were tried before. */
  readonly at: number;
}

/**
 * Changes one machine first, and the rest only if it works. If its agent does not take the command, the next machine is
 * tried first.
 */
async function changeAfterTrial<M extends FleetMachine>(
  op: FleetOperation,
  row: FleetRow<M> & { readonly trial: Trial<M> },
  sending: SendPlan<M>,
  { first, rest, at }: TrialMembers<M>,
): Promise<FleetResult> {
  const trial = { ...row.trial, names: namesOfTry(row.trial.names, at) };
  const { outcome, failedAt, note } = await tryFirst(op, sending, trial, first);
  const tried = { member: first, outcome };
  const name = trial.names.settle;
  if (failedAt === null) {
    const isOutdated = await settle(op, row, [tried], { name, ask: rest.length > 0 ? row.isOutdated : undefined });
    if (isOutdated) return { ...resultOf([tried], note), ...(await leaveRest(op, row, rest)) };
    return resultOf([tried, ...(await changeRest(op, row, sending, rest))], note);
  }
  const [next, ...others] = rest;
  if (next && isUntaken(outcome) && at + 1 < MOST_FIRST) {
    await settle(op, row, [tried], { name });
    const result = await changeAfterTrial(op, row, sending, { first: next, rest: others, at: at + 1 });
    return { ...result, failed: [...resultOf([tried], null).failed, ...result.failed] };
  }
  const provesNothing = outcome.state === "cancelled" || isUntaken(outcome);
  const why = provesNothing ? "not touched: no node took the command" : "not touched: the first node failed";
  const untouched = rest.map((member): Settlement<M> => ({ member, outcome: { state: "untouched", why } }));
  const before = provesNothing ? undefined : () => trial.block(first, failedAt);
  await settle(op, row, [tried, ...untouched], { name, ...(before ? { before } : {}) });
  return { ...resultOf([tried], note), untouched: rest.map((member) => member.name) };
}

/**
 * Changes many machines: takes their leases, changes and proves one first if the row has a trial, changes the rest, and
 * settles each by its own result. After an error the caller settles the remaining machines by `settleLeft`.
 */
export async function changeFleet<M extends FleetMachine>(
  op: FleetOperation,
  row: FleetRow<M>,
  machines: readonly M[],
): Promise<FleetEnd> {
  const { members, published } = await claimMachines(op, row, machines);
  const [first, ...rest] = members;
  if (!first) return { result: null, published };
  const sending = await row.sending();
  const { trial } = row;
  const result = trial
    ? await changeAfterTrial(op, { ...row, trial }, sending, { first, rest, at: 0 })
    : resultOf(await changeRest(op, row, sending, members), null);
  return { result, published };
}
