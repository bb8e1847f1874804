import type { Execution } from "../../../change/operation/op.ts";
import { checkLiveness } from "../../../change/operation/progress.ts";
import { publish } from "../../../change/operation/publisher.ts";
import { cancelledBy } from "../../../change/operation/requester.ts";
import { type RolloutSeen, seeRollout, viewOfRollout } from "../../../change/operation/rollout-view.ts";
import { MINUTE } from "../../../engine/durable.ts";
import { pauseCall } from "../../../messages/rollout/rollout.ts";
import type { PublishedMessage } from "../../../records/records.ts";
import {
  isLeftOut,
  mostRecovering,
  nextMoves,
  type PauseCause,
  type RolloutView,
} from "../../../records/rollout-moves.ts";
import type { RolloutPause } from "../../../records/steering.ts";
import { isBusy, wordsOf } from "../../../steps/client-errors.ts";
import { hearSteering } from "./hear.ts";
import { beginNodes, pauseFor, wakeNodes } from "./moves.ts";
import { againLast, gotNoSlot, wasStopped } from "./renew.ts";
import type { RolloutWork } from "./runs.ts";
import { areSettled, keepReadiness, spareWaiting } from "./settle.ts";
import { noteSlots } from "./slots.ts";
import { stopOfMoves } from "./stops.ts";
import { awaitWindow, closeWindow } from "./window.ts";

/** Time after which a rollout that waits for a person ends its execution; the button starts the next one. */
const WAITS_FOR_MS = 4 * 60 * MINUTE;

/** State between two polls. */
export interface RolloutProgress {
  readonly published: PublishedMessage;
  /** Milliseconds since the epoch: last check that the nodes' executions are alive. */
  readonly checkedAt: number;
  /** Milliseconds since the epoch: first message that Slack refused in a row; null while it takes them. */
  readonly silentSince: number | null;
  /** Executions of the last release stored "look" for "poll". */
  readonly next: "poll" | "end" | "park";
  /** A pause without a person's request, to which people are now called. */
  readonly call: RolloutPause | null;
  /** Time of the pause to which people were called last; null before any. */
  readonly calledTo: string | null;
  readonly isPaused: boolean;
}

/** State before the first poll. @param pausedAt time of the pause in which this execution began; null without one */
export const firstPoll = (published: PublishedMessage, pausedAt: string | null): RolloutProgress => ({
  ...{ published, checkedAt: 0, silentSince: null, call: null, calledTo: pausedAt, isPaused: false },
  next: "poll",
});

/** Input of a poll. */
interface RolloutPoll extends Pick<Execution, "steps" | "start"> {
  readonly work: RolloutWork;
  /** Nodes that may be out of service together. */
  readonly most: number;
  /** Milliseconds since the epoch: end of the maintenance window; null if no window limits the rollout. */
  readonly windowEnds: number | null;
}

const viewFor = (
  { operation, rollout, nodes }: RolloutSeen,
  most: number,
  isCancelled: boolean,
  slackAwayMs: number,
): RolloutView => ({
  ...{ most, isCancelled, slackAwayMs, mostRecovering: mostRecovering(rollout.max) },
  nodes: nodes.map((node, at) => ({
    ...{ ...node, isAway: rollout.nodes[at]?.isAway ?? false },
    ...{ gotNoSlot: gotNoSlot(node), wasStopped: wasStopped(node), isLeftOut: isLeftOut(node) },
  })),
  ...{ canary: rollout.canary, isConfirmed: rollout.isConfirmed, accepted: rollout.accepted },
  isPaused: (operation.rollout?.paused ?? null) !== null || (operation.rollout?.closedAt ?? null) !== null,
});

/** Is the maintenance window over in which this execution works? */
const isOverdue = ({ steps, windowEnds }: RolloutPoll): boolean => windowEnds !== null && steps.now() >= windowEnds;

/** Makes the next moves. @returns true when nothing is left to do */
async function move(poll: RolloutPoll, silentSince: number | null): Promise<boolean> {
  const {
    steps,
    start: { operation },
    most,
  } = poll;
  if (isOverdue(poll)) await closeWindow(steps, await seeRollout(steps, operation));
  const seen = await seeRollout(steps, operation);
  const isCancelled = (await cancelledBy(steps, operation)) !== null;
  const slackAwayMs = silentSince === null ? 0 : steps.now() - silentSince;
  const moves = nextMoves(viewFor(seen, most, isCancelled, slackAwayMs));
  const stop = await stopOfMoves(steps, seen, moves);
  const isReady = moves.start.length > 0 && !stop && (await areSettled(steps, seen));
  const start = isReady ? moves.start : [];
  const pause: PauseCause | null = moves.pause ?? (stop && { kind: "stopped", indexes: [] });
  await keepReadiness(steps, seen, start);
  await beginNodes(poll, seen, { start });
  if (pause) await pauseFor(steps, seen, pause, stop);
  const { paused, closedAt } = seen.operation.rollout ?? {};
  if (isCancelled || pause || paused || closedAt) await wakeNodes(steps, operation);
  if (seen.nodes.some(gotNoSlot))
    await steps.rollouts.change(operation, { nodes: await againLast(steps, seen, gotNoSlot) });
  return moves.isOver;
}

/**
 * Finds the pause to which people must be called. It is read from the ledger and not from the moves, because a process
 * that died after the move finds the rollout already paused.
 */
function callFor({ operation }: RolloutSeen, { calledTo }: RolloutProgress): RolloutPause | null {
  const paused = operation.rollout?.paused ?? null;
  return paused !== null && paused.by === null && paused.at !== calledTo ? paused : null;
}

/** Calls the requester in the thread. If Slack is busy, only the rollout's message shows the pause. */
async function callTo(
  { steps, start, work }: RolloutPoll,
  { operation }: RolloutSeen,
  call: RolloutPause,
): Promise<void> {
  const message = pauseCall(operation, call);
  const mark = `${start.operation} paused ${call.at}`;
  await steps.thread.post(operation.channel, message, mark, work.published.messageTs).catch((error: unknown) => {
    if (!isBusy(error)) throw error;
  });
}

const nextOf = (seen: RolloutSeen, isOver: boolean, now: number): RolloutProgress["next"] => {
  if (isOver) return "end";
  const { paused } = seen.operation.rollout ?? {};
  const isIdle = seen.nodes.every(({ status }) => status !== "running" && status !== "deciding");
  return paused && isIdle && now - Date.parse(paused.at) >= WAITS_FOR_MS ? "park" : "poll";
};

/** Reads the ledger, makes the next moves, and publishes. @throws the error of a busy service */
async function pollNow(poll: RolloutPoll, before: RolloutProgress): Promise<RolloutProgress> {
  const { steps, start, work } = poll;
  const checkedAt = await checkLiveness({ steps, operation: start.operation }, before.checkedAt);
  await hearSteering(steps, start.operation);
  const isOver = await move(poll, before.silentSince);
  const isWaiting = !isOver && isOverdue(poll) && (await awaitWindow(steps, await seeRollout(steps, start.operation)));
  const moved = await seeRollout(steps, start.operation);
  await spareWaiting(steps, moved);
  await noteSlots(steps, moved);
  const seen = await seeRollout(steps, start.operation);
  const published = await publish(steps, viewOfRollout(seen, steps.timestamp()), before.published, work.settings);
  const call = callFor(seen, before);
  if (call) await callTo(poll, seen, call);
  const now = steps.now();
  return {
    ...{ published, checkedAt, call, calledTo: call?.at ?? before.calledTo },
    silentSince: published.trouble === null ? null : (before.silentSince ?? now),
    next: isWaiting ? "park" : nextOf(seen, isOver, now),
    isPaused: (seen.operation.rollout?.paused ?? null) !== null,
  };
}

/**
 * Polls a rollout once. The callback is registered first, so that no change between the poll and the wait is missed. If
 * a service is busy, the next poll does the work. Call inside a step.
 */
export async function pollOnce(poll: RolloutPoll, callback: string, before: RolloutProgress): Promise<RolloutProgress> {
  const { steps, start } = poll;
  try {
    await steps.ledger.changeOperation(start.operation, { callbacks: { watch: callback, cancel: callback } });
    return await pollNow(poll, before);
  } catch (error) {
    if (!isBusy(error)) throw error;
    console.error(`the rollout ${start.operation} could not be polled`, wordsOf(error));
    return { ...before, call: null };
  }
}
