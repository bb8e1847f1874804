import type { Execution } from "../../../change/operation/op.ts";
import { publishEnd } from "../../../change/operation/publish-end.ts";
import { publish } from "../../../change/operation/publisher.ts";
import { cancelledBy } from "../../../change/operation/requester.ts";
import { seeRollout, viewOfRollout } from "../../../change/operation/rollout-view.ts";
import { MINUTE, step } from "../../../engine/durable.ts";
import { escalate } from "../../../engine/escalate.ts";
import { notBegun, pauseNotice, rolloutSummary } from "../../../messages/rollout/rollout.ts";
import type { OperationStatus } from "../../../records/records.ts";
import type { Steps } from "../../../steps/steps.ts";
import { mostAtOnce } from "./plan.ts";
import { firstPoll, pollOnce, type RolloutProgress } from "./poll.ts";
import { leaveRollout, type RolloutWork } from "./runs.ts";
import { spareWaiting } from "./settle.ts";
import { windowEndOf } from "./window.ts";

/**
 * Polls of one execution: each takes at most three of its 2,000 durable operations. Then the next execution continues.
 */
export const MOST_ROLLOUT_POLLS = 550;

/** Time that one execution works on a rollout; then the next one continues, on current code. */
const WORKS_FOR_MS = 8 * 60 * MINUTE;

/**
 * Changes of few nodes are shown immediately. Changes of many nodes are gathered into one update, because Slack limits
 * updates.
 */
const FEW_NODES = 3;
const MANY_NODES = 10;

/** Seconds between polls: `poll` when nothing changes, `gather` between a change and the poll that reads it. */
interface Pace {
  readonly poll: number;
  readonly gather: number;
}

/** Polls of many nodes after which an execution slows down, so that its operations last for eight hours. */
const MANY_POLLS = 300;

/**
 * Pace of a rollout's polls.
 * @param round counted from 1
 * @param nodes number of nodes in the rollout
 */
export function rolloutPace(round: number, nodes: number, isPaused: boolean): Pace {
  if (isPaused) return { poll: 300, gather: 0 };
  if (nodes > MANY_NODES) return { poll: 60, gather: round > MANY_POLLS ? 60 : 30 };
  return { poll: 60, gather: nodes > FEW_NODES ? 4 : 0 };
}

/** Writes the end of a rollout, and of its nodes that never began. Call inside a step. */
async function end(steps: Steps, id: string): Promise<void> {
  const seen = await seeRollout(steps, id);
  const endedAt = steps.timestamp();
  for (const node of seen.nodes.filter(({ status }) => status === "queued")) {
    // A node that queues again has its record only once it begins.
    await steps.ledger.recordNode(node);
    await steps.ledger.changeNode(id, node.index, { status: "cancelled", outcome: notBegun, endedAt });
  }
  await spareWaiting(steps, seen, []);
  const { operation, nodes } = await seeRollout(steps, id);
  if (operation.endedAt !== null) return;
  const isCancelled = (await cancelledBy(steps, id)) !== null;
  const hasFailed = nodes.some(({ status }) => status === "failed");
  const status: OperationStatus = isCancelled ? "cancelled" : hasFailed ? "failed" : "succeeded";
  const rollout = operation.rollout ? { rollout: { ...operation.rollout, paused: null } } : {};
  await steps.ledger.changeOperation(id, {
    ...{ status, endedAt, callbacks: {}, summary: rolloutSummary(nodes) },
    ...rollout,
  });
}

/** Polls the rollout until it has ended, has waited too long for a person, or this execution has run long enough. */
async function watch({ ctx, steps, start }: Execution, work: RolloutWork): Promise<RolloutProgress> {
  const { operation } = start;
  const {
    since,
    most,
    count,
    slotEnds: windowEnds,
    pausedAt,
  } = await step(ctx, "begin to work", async () => {
    const seen = await seeRollout(steps, operation);
    const { rollout } = seen;
    const most = await mostAtOnce(steps, rollout.pools ?? [rollout.pool], rollout.max);
    const pausedAt = seen.operation.rollout?.paused?.at ?? null;
    return {
      since: steps.now(),
      most,
      count: rollout.nodes.length,
      slotEnds: await windowEndOf(steps, seen),
      pausedAt,
    };
  });
  let state: RolloutProgress & { readonly lasted?: number } = firstPoll(work.published, pausedAt);
  for (let round = 1; round <= MOST_ROLLOUT_POLLS; round += 1) {
    const before = state;
    const { poll, gather } = rolloutPace(round, count, before.isPaused);
    const [changed, callback] = await ctx.createCallback(`change ${round}`, { timeout: { seconds: poll } });
    state = await step(ctx, `look ${round}`, async () => ({
      ...(await pollOnce({ steps, start, work, most, windowEnds }, callback, before)),
      lasted: steps.now() - since,
    }));
    const { call, lasted = 0, next } = state;
    if (call) {
      const notice = pauseNotice({ id: operation, request: start.request }, call);
      await escalate(ctx, steps, `paused at look ${round}`, notice);
    }
    if (next === "end" || next === "park" || lasted >= WORKS_FOR_MS) return state;
    const isWoken = await changed.then(() => true).catch(() => false);
    if (isWoken && gather > 0) await ctx.wait(`gather changes ${round}`, { seconds: gather });
  }
  return state;
}

/** Works on a rollout until it ends, or leaves it in the ledger. */
export async function workOn(op: Execution, work: RolloutWork): Promise<void> {
  const { ctx, steps, start } = op;
  const { published, next } = await watch(op, work);
  if (next !== "end") {
    await step(ctx, "leave the rest", () => leaveRollout(steps, start.operation, published));
    return op.onLeft?.((start.continues ?? 1) + 1);
  }
  await step(ctx, "end", () => end(steps, start.operation));
  await publishEnd(ctx, steps, async () =>
    publish(
      steps,
      viewOfRollout(await seeRollout(steps, start.operation), steps.timestamp()),
      published,
      work.settings,
    ),
  );
}
