import { EMPTYING_MINUTES, minutesTogether } from "../../configuration/deadlines.ts";
import { Cancelled, kindOf, MINUTE } from "../../engine/durable.ts";
import { Retryable } from "../../errors.ts";
import {
  continuedBy,
  continueHeard,
  continueNotice,
  drainContinues,
  lateEvent,
  rebootsWithPodsBy,
  stillCordoned,
  withPodsHeard,
} from "../../messages/node/continue.ts";
import { rebootsWithPods, type StuckPod } from "../../messages/node/drain-report.ts";
import type { Failure, StageFault } from "../../records/failures.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import { askUntilDecided, TIME_IS_UP } from "../approval/ask.ts";
import { addNotes } from "../node/notes.ts";
import { leaseOf, nodeOf, once, record, renewDeadline, tell } from "../node/task.ts";
import { auditNode } from "../operation/audit.ts";
import { mayDecide, stoppedBy } from "../operation/requester.ts";
import type { EmptyingTask } from "./emptying-task.ts";

/** Most continuations of one drain: each question costs the execution about ten durable operations. */
const MOST_CONTINUATIONS = 10;

/** Name of the question in the audit. */
const QUESTION = "continue the drain";

/** A click on a button of the question, or a cancellation of the operation. */
interface Pressed {
  readonly decision: "continue" | "reboot-with-pods" | "cancel";
  readonly userId: string;
}

/** A drain that has passed its deadline. */
export interface LateDrain extends StageFault, Pick<Failure, "hasStuckPods"> {
  /** Number of deadlines that have passed, 1 after the first. */
  readonly round: number;
  /** The first deadline, in milliseconds since the epoch. */
  readonly firstUntil: number;
  /** Pods whose containers do not end. */
  readonly stuck: readonly StuckPod[];
}

/** End of the question whether a drain continues. */
type Continuation = "stop" | "continue" | "reboot-with-pods";

/** A drain of a workflow, with its deadlines. */
type Drain = Pick<EmptyingTask, "workflow" | "runtime">;

/** Milliseconds of a question whether to go on, and of another drain after it; null for a workflow that gives up without asking. */
function timesOf({ workflow, runtime }: Drain): { readonly asks: number; readonly evict: number } | null {
  if (workflow !== "drain" && workflow !== "reboot" && workflow !== "remove") return null;
  const { continue: asks, evict } = runtime.configuration.deadlines[workflow];
  return { asks: asks * MINUTE, evict: evict * MINUTE };
}

/** Time for which Slack is tried with the question before it stands without: people are called past Slack then. */
const TRIED_MS = 2 * MINUTE;

/** Milliseconds since the epoch until which Slack is tried with a question that ends then. */
const triedUntil = (drain: Drain, until: number): number => until - (timesOf(drain)?.asks ?? 0) + TRIED_MS;

/**
 * Calculates how long a drain may ask whether to continue.
 * @param now milliseconds since the epoch
 * @returns end of the question in milliseconds since the epoch; null if no time is left to ask and to drain once more
 */
export function asksUntil(drain: Drain, late: LateDrain, now: number): number | null {
  const times = timesOf(drain);
  if (times === null) return null;
  const room = (EMPTYING_MINUTES - minutesTogether(drain.runtime.configuration.deadlines, drain.workflow)) * MINUTE;
  const over = now + times.asks + times.evict;
  if (late.round > MOST_CONTINUATIONS || over > late.firstUntil + room) return null;
  return now + times.asks;
}

/**
 * Asks in the message whether to continue a drain that has passed its deadline. Until the answer, the node stays
 * cordoned and lease and slot stay held.
 * @returns what a permitted person pressed in time; the stage then has a new deadline, unless it is "stop"
 * @throws Cancelled
 */
export async function mayContinue(task: EmptyingTask, late: LateDrain): Promise<Continuation> {
  const { round } = late;
  const until = await once(task, `how long to ask ${round}`, async () => asksUntil(task, late, task.steps.now()));
  if (until === null) return "stop";
  const pressed = await ask(task, late, until);
  if (pressed === TIME_IS_UP) return lapsed(task, round);
  if (pressed.decision === "cancel") throw new Cancelled(pressed.userId);
  await goOn(task, late, pressed);
  return pressed.decision;
}

const ask = (task: EmptyingTask, late: LateDrain, until: number): Promise<Pressed | typeof TIME_IS_UP> => {
  const { ctx, steps, operation } = task;
  const name = `whether the drain goes on ${late.round}`;
  return askUntilDecided<Pressed, Pressed>(ctx, steps, {
    name,
    until,
    show: (callbackId, asking) => show(task, { ...late, until }, callbackId, asking),
    written: (callbackId) => written(task, callbackId, until),
    notice: continueNotice(operation, nodeOf(task).name, late, new Date(until).toISOString()),
    judge: (pressed, asking) =>
      once(task, `judge the answer ${late.round} ${asking}`, () => judge(task, pressed)).catch(unjudged),
  });
};

/** Lets the question stand while Slack does not say for minutes who has pressed: it is asked anew until its time is up. */
function unjudged(error: unknown): null {
  if (kindOf(error) !== "Retryable") throw error;
  return null;
}

/**
 * Shows the question. The step is retried for two minutes while Slack does not take it; then the question stands, people
 * are called past Slack, and the sweep shows it once Slack does.
 */
async function show(
  task: EmptyingTask,
  { why, code, hasStuckPods, round, until }: LateDrain & { readonly until: number },
  callbackId: string,
  asking: number,
): Promise<Pressed | null> {
  const { steps, operation, stage } = task;
  await steps.ledger.changeOperation(operation, { status: "waiting" });
  await steps.ledger.changeNode(operation, task.index, {
    status: "deciding",
    waitsFor: null,
    failure: { stage, why, code, left: stillCordoned, ...(hasStuckPods ? { hasStuckPods } : {}) },
    decideBy: new Date(until).toISOString(),
    failedAt: steps.timestamp(),
    callbacks: { decision: callbackId, cancel: callbackId },
  });
  // A cancellation may have come before the callback was recorded.
  const by = await stoppedBy(steps, operation);
  if (by !== null) return { decision: "cancel", userId: by };
  const trouble = (await tell(task))?.trouble ?? null;
  if (trouble !== null && steps.now() < triedUntil(task, until)) throw new Retryable(trouble);
  if (asking > 1) return null;
  await auditNode(task, `asked to continue ${round}`, { what: "asked", detail: { question: QUESTION } });
  await steps.nodes.announce(nodeOf(task), "Warning", task.eventReason, lateEvent(operation));
  return null;
}

/** Reads the answer or a cancellation from the ledger. */
async function written(
  { steps, operation, index }: EmptyingTask,
  callback: string,
  until: number,
): Promise<Pressed | null> {
  const given = await steps.ledger.answerOf(operation, `node ${index}`, callback, until);
  if (given?.decision === "continue" || given?.decision === "reboot-with-pods")
    return { decision: given.decision, userId: given.userId };
  const { cancelledBy = null, rollout } = (await steps.ledger.operation(operation)) ?? {};
  const by = rollout?.paused || rollout?.closedAt ? await stoppedBy(steps, operation) : cancelledBy;
  return by === null ? null : { decision: "cancel", userId: by };
}

/** Checks the person's permission again: the roster of the front door may be minutes older than the click. */
async function judge(task: EmptyingTask, pressed: Pressed): Promise<Pressed | null> {
  const { steps, operation, workflow, pool } = task;
  if (pressed.decision === "cancel") return (await stoppedBy(steps, operation)) === null ? null : pressed;
  return (await mayDecide(steps, pressed.userId, workflow, pool)) ? pressed : null;
}

async function lapsed(task: EmptyingTask, round: number): Promise<"stop"> {
  const act = { what: "lapsed", detail: { question: QUESTION } } as const;
  await once(task, `no answer ${round}`, () => auditNode(task, `not continued ${round}`, act));
  return "stop";
}

/** Judges requester and node again, unless the node was deleted: then the next poll ends its drain. */
async function judgeExisting(task: EmptyingTask): Promise<void> {
  const { name, uid } = nodeOf(task);
  const machine = await task.steps.instances.describe(leaseOf(task).instanceId);
  const node = await task.steps.nodes.read(name);
  if (node?.metadata?.uid === uid && !(machine && hasEnded(machine))) await task.judgeAgain("question");
}

/** Judges requester and node again, and gives the stage a new deadline. */
async function goOn(task: EmptyingTask, { round, stuck }: LateDrain, { decision, userId }: Pressed): Promise<void> {
  const { steps, operation } = task;
  const isWithPods = decision === "reboot-with-pods";
  await once(task, `judge again after the question ${round}`, () => judgeExisting(task));
  const until = await renewDeadline(task, `another deadline ${round}`);
  await once(task, `continue ${round}`, async () => {
    const again = { status: "running", failure: null, decideBy: null, callbacks: {} } as const;
    const deadline = new Date(until).toISOString();
    const summary = isWithPods ? rebootsWithPodsBy(userId) : continuedBy(userId, deadline);
    await steps.ledger.changeOperation(operation, { status: "running", summary });
    await record(task, again);
    await addNotes(task, [isWithPods ? rebootsWithPods(stuck) : drainContinues(deadline)]);
    await auditNode(task, `continued ${round}`, {
      what: "decided",
      by: { person: userId },
      detail: { question: QUESTION, decision },
    });
    const heard = (isWithPods ? withPodsHeard : continueHeard)(nodeOf(task).name);
    await steps.thread.sendEphemeral(task.runtime.configuration.slack.channel, userId, heard).catch(() => undefined);
  });
}
