import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { MINUTE, step } from "../../engine/durable.ts";
import { handedOverSummary, nodesSummary } from "../../messages/operation/final.ts";
import type { MessageSettings } from "../../messages/operation/links.ts";
import type { StageFault } from "../../records/failures.ts";
import type {
  HandedOver,
  NodeRecord,
  OperationStatus,
  OperationView,
  PublishedMessage,
} from "../../records/records.ts";
import { ifShown, isBusy, wordsOf } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";
import { closeLostNode, giveBackLostNode, isBeingSetUp, type LostNode, ownStartUpTaint } from "../node/lost-node.ts";
import { publish, saidAll } from "./publisher.ts";
import { viewOf } from "./view.ts";

/** An operation whose nodes are changed by other executions, with the settings of its message. */
export interface WatchedOperation {
  readonly steps: Steps;
  readonly operation: string;
  readonly pool: OperationView["pool"];
  readonly settings: MessageSettings;
  /** Milliseconds after which the watch ends even if its nodes have not ended; by default `WATCHES_FOR_MS`. */
  readonly forMs?: number;
}

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

/** Outcome of a watch. If its nodes have not ended, the sweep continues it: see `handOver`. */
export interface Watch {
  readonly published: PublishedMessage;
  readonly hasEnded: boolean;
}

/** State of a watch after a poll. */
interface WatchPoll extends Watch {
  /** Milliseconds since the epoch: the last check of whether the executions still run. */
  readonly checkedAt: number;
  /** Milliseconds since the watch's first poll. */
  readonly lasted: number;
}

/**
 * Most polls of a watch. A poll is at most three operations of the execution, which should have no more than 2,000; the
 * rest is for starting nodes. At the pace of `watchPace`, these polls last longer than any node's execution.
 */
export const MOST_POLLS = 550;

/** A coordinator's execution may last twelve hours; no node's lasts longer than eight. */
export const WATCHES_FOR_MS = 11 * 60 * MINUTE;

const BRISK_POLLS = 250;

/** Above this number of nodes, a watch gathers changes for a few seconds, because Slack accepts few updates. */
const FEW_NODES = 3;

/** Seconds between polls. */
interface Pace {
  /** After which the watch polls even if no node has changed, to refresh elapsed times. */
  readonly poll: number;
  /** Between a change and the poll that sees it. */
  readonly gather: number;
}

/**
 * Gives the pause before a poll: a watch slows down after many polls.
 * @param poll counted from 1, at most `MOST_POLLS`
 * @param nodes how many are watched
 */
export function watchPace(poll: number, nodes: number): Pace {
  if (poll > BRISK_POLLS) return { poll: 120, gather: 120 };
  return { poll: 30, gather: nodes > FEW_NODES ? 4 : 0 };
}

/**
 * Reads and publishes the records of nodes that other executions work on, until all have ended or the watch's polls or
 * time run out. Each change of a record wakes the watch, see `notifyProgress`.
 */
export async function watchNodes(
  ctx: DurableContext,
  watched: WatchedOperation,
  first: PublishedMessage,
): Promise<Watch> {
  const { forMs = WATCHES_FOR_MS } = watched;
  const since = await step(ctx, "begin to watch", async () => watched.steps.now());
  let state: WatchPoll = { published: first, hasEnded: false, checkedAt: 0, lasted: 0 };
  for (let round = 1; ; round += 1) {
    const before = state;
    const { poll, gather } = watchPace(round, state.published.told.length);
    const [changed, callback] = await ctx.createCallback(`change ${round}`, { timeout: { seconds: poll } });
    state = await step(ctx, `look ${round}`, async () => {
      await awaitChange(watched, callback);
      return { ...(await pollOnce(watched, before)), lasted: watched.steps.now() - since };
    });
    if (state.hasEnded || round === MOST_POLLS || state.lasted >= forMs) return state;
    const isWoken = await changed.then(() => true).catch(() => false);
    if (isWoken && gather > 0) await ctx.wait(`gather changes ${round}`, { seconds: gather });
  }
}

/** Registers the callback. A change may arrive before that, so the watch polls once after registering. */
const awaitChange = ({ steps, operation }: WatchedOperation, callback: string): Promise<void> =>
  steps.ledger
    .changeOperation(operation, { callbacks: { watch: callback, cancel: callback } })
    .catch((error: unknown) => {
      if (!isBusy(error)) throw error;
    });

async function pollOnce(
  watched: WatchedOperation,
  before: Omit<WatchPoll, "lasted">,
): Promise<Omit<WatchPoll, "lasted">> {
  try {
    const checkedAt = await checkLiveness(watched, before.checkedAt);
    const view = await noteWaiting(watched);
    const published = await publish(watched.steps, view, before.published, watched.settings);
    const hasEnded = view.nodes.every((node) => ENDED.has(node.status)) && saidAll(published, view.nodes);
    return { published, hasEnded, checkedAt };
  } catch (error) {
    if (!isBusy(error)) throw error;
    return before;
  }
}

/** Gives the last fields of an operation whose nodes have all ended. */
function endOf({ operation, nodes, now }: OperationView) {
  const succeeded = nodes.every((node) => node.status === "succeeded");
  const status: OperationStatus = succeeded ? "succeeded" : operation.cancelledBy ? "cancelled" : "failed";
  return { status, summary: nodesSummary(nodes), endedAt: operation.endedAt ?? now, callbacks: {} };
}

/** Ends an operation whose nodes have all ended. Belongs into a step. */
export async function endWatched({ steps, operation, pool }: WatchedOperation): Promise<void> {
  const view = await viewOf(steps, operation, pool);
  if (view) await steps.ledger.changeOperation(operation, endOf(view));
}

/** Publishes the end of an operation before the ledger has it. */
async function publishEnded(
  { steps, operation: id, pool, settings }: WatchedOperation,
  last: PublishedMessage,
): Promise<PublishedMessage> {
  const view = await viewOf(steps, id, pool);
  if (!view) return last;
  return publish(steps, { ...view, operation: { ...view.operation, ...endOf(view) } }, last, settings);
}

/**
 * Publishes the current state of an operation. Belongs into a step or a poll. @returns null when the ledger does not
 * hold it
 */
export async function publishWatched(
  watched: WatchedOperation,
  last: PublishedMessage,
): Promise<PublishedMessage | null> {
  const { steps, operation, pool, settings } = watched;
  const view = await viewOf(steps, operation, pool);
  return view ? publish(steps, view, last, settings) : null;
}

/** Hands an operation whose nodes have not ended over to the sweep, and publishes that. Belongs into a step. */
export async function handOver(watched: WatchedOperation, last: PublishedMessage): Promise<void> {
  const { steps, operation: id, pool } = watched;
  await steps.ledger.changeOperation(id, {
    handedOver: { pool, published: last },
    summary: handedOverSummary,
    callbacks: {},
  });
  await publishWatched(watched, last);
}

/** Polls an operation that was handed over. Belongs into a step. @returns true if it has ended */
export async function followHandedOver(
  watched: WatchedOperation,
  { pool, published: last }: HandedOver,
): Promise<boolean> {
  const { published, hasEnded } = await pollOnce(watched, { published: last, hasEnded: false, checkedAt: 0 });
  // Publish first: the sweep skips ended operations, so a message lost to a Slack outage would stay lost.
  const said = hasEnded ? await publishEnded(watched, published) : published;
  if (hasEnded && said.trouble === null) await endWatched(watched);
  else await watched.steps.ledger.changeOperation(watched.operation, { handedOver: { pool, published: said } });
  return hasEnded && said.trouble === null;
}

/** Milliseconds between checks of whether executions still run; the service allows 30 such calls a second. */
const CHECK_LIVENESS_EVERY_MS = MINUTE;

const NEVER_BEGAN_MS = 15 * MINUTE;

/** Was an execution started for the node? Not for a node of a rollout whose turn has not come. */
const isDue = ({ status, workflow }: NodeRecord): boolean =>
  !(status === "queued" && (workflow === "reboot" || workflow === "restart"));

/**
 * Closes nodes whose execution has ended, or never began, although the ledger shows them as running.
 * @param last milliseconds since the epoch: the last check
 */
export async function checkLiveness(
  { steps, operation }: Pick<WatchedOperation, "steps" | "operation">,
  last: number,
): Promise<number> {
  const now = steps.now();
  if (now - last < CHECK_LIVENESS_EVERY_MS) return last;
  for (const node of await steps.ledger.nodes(operation)) {
    const why = ENDED.has(node.status) || !isDue(node) ? null : await howLost(steps, node);
    if (why !== null) await closeLost(steps, node, why);
  }
  return now;
}

/**
 * Decides about the cordon of a lost node, which still has its lease. A function that launches machines may not change
 * Nodes: it records the start-up taint, which the sweep removes.
 */
async function settleNode(steps: Steps, node: NodeRecord): Promise<LostNode | null> {
  if (!isBeingSetUp(node)) return giveBackLostNode(steps, node);
  await ownStartUpTaint(steps, node);
  return null;
}

/**
 * Closes one lost node. While the cluster is unavailable, the node waits; if the cluster refuses to show the Node, the
 * watch of the others continues.
 */
async function closeLost(steps: Steps, node: NodeRecord, why: StageFault): Promise<void> {
  let found: LostNode | null = null;
  try {
    found = await settleNode(steps, node);
  } catch (error) {
    if (isBusy(error)) return;
    console.error(`the Node of ${node.operation}:${node.index} could not be read`, wordsOf(error));
  }
  await closeLostNode(steps, node, why, found);
}

async function howLost(steps: Steps, node: NodeRecord): Promise<StageFault | null> {
  if (node.executionArn === null) {
    const isLate = steps.now() - Date.parse(node.startedAt) > NEVER_BEGAN_MS;
    return isLate ? { code: "execution-never-started", why: "the execution never started" } : null;
  }
  const ending = await ifShown(steps.executions.ending(node.executionArn), null);
  return ending === null
    ? null
    : { code: "execution-ended", why: `the execution ended as ${ending} during this stage` };
}

/** An operation with a node that waits for a decision is itself waiting. */
async function noteWaiting({ steps, operation: id, pool }: WatchedOperation): Promise<OperationView> {
  const view = await viewOf(steps, id, pool);
  if (!view) throw new Error("the operation is not in the ledger any more");
  const { operation, nodes } = view;
  const status: OperationStatus = nodes.some((node) => node.status === "deciding") ? "waiting" : "running";
  if (operation.endedAt !== null || operation.status === status) return view;
  await steps.ledger.changeOperation(id, { status });
  return { ...view, operation: { ...operation, status } };
}

/**
 * Wakes the watch of an operation after a change of a node's record. If the watch is not waiting, or the wake-up is
 * lost, the next poll sees the change.
 */
export async function notifyProgress(steps: Steps, operation: string): Promise<void> {
  try {
    const callback = (await steps.ledger.operation(operation))?.callbacks.watch;
    if (callback) await steps.executions.complete(callback, {});
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}
