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
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";
import { closeLostNode, ownStartUpTaint } from "../node/lost-node.ts";
import { publish, saidAll, viewOf } from "./publisher.ts";

/** An operation whose nodes other executions work on, and what is needed to tell people about them. */
export interface WatchedOperation {
  readonly steps: Steps;
  readonly operation: string;
  readonly pool: OperationView["pool"];
  readonly settings: MessageSettings;
  /** Milliseconds after which the watch ends though its nodes go on (default: what a coordinator's execution allows). */
  readonly forMs?: number;
}

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

/** Outcome of a watch. If its nodes have not ended, the operation goes on without it: see `handOver`. */
export interface Watch {
  readonly published: PublishedMessage;
  readonly hasEnded: boolean;
}

/** State of a watch after a look. */
interface Look extends Watch {
  /** Milliseconds: when the executions themselves were last asked after. */
  readonly checkedAt: number;
  /** Milliseconds since the watch's first look. */
  readonly lasted: number;
}

/**
 * A look is three operations of the execution at most, of which 2,000 are to suffice; the rest is for starting nodes. Looks
 * that are as close together as `paceOf` allows last longer than any node's execution.
 */
export const MOST_POLLS = 550;

/** A coordinator's execution may last twelve hours; no node's lasts longer than eight. */
export const WATCHES_FOR_MS = 11 * 60 * MINUTE;

const BRISK_LOOKS = 250;

/** Many nodes change many times a minute: what comes together is told together, because Slack takes few updates. */
const FEW_NODES = 3;

/** Seconds between looks. */
interface Pace {
  /** After which the watch looks though no node has changed; elapsed times are refreshed by it. */
  readonly poll: number;
  /** Between a change and the poll that sees it. */
  readonly gather: number;
}

/**
 * Says how long a look is put off: a watch slows down after many looks.
 * @param look counted from 1, at most `MOST_LOOKS`
 * @param nodes how many are watched
 */
export function watchPace(look: number, nodes: number): Pace {
  if (look > BRISK_LOOKS) return { poll: 120, gather: 120 };
  return { poll: 30, gather: nodes > FEW_NODES ? 4 : 0 };
}

/**
 * Reads and publishes the records of nodes that other executions work on, until all have ended or the watch's polls or time
 * run out. Each change of a record wakes the watch, see `notifyProgress`.
 */
export async function watchNodes(
  ctx: DurableContext,
  watched: WatchedOperation,
  first: PublishedMessage,
): Promise<Watch> {
  const { forMs = WATCHES_FOR_MS } = watched;
  const since = await step(ctx, "begin to watch", async () => watched.steps.now());
  let state: Look = { published: first, hasEnded: false, checkedAt: 0, lasted: 0 };
  for (let look = 1; ; look += 1) {
    const before = state;
    const { poll, gather } = watchPace(look, state.published.told.length);
    const [changed, callback] = await ctx.createCallback(`change ${look}`, { timeout: { seconds: poll } });
    state = await step(ctx, `look ${look}`, async () => {
      await awaitChange(watched, callback);
      return { ...(await lookOnce(watched, before)), lasted: watched.steps.now() - since };
    });
    if (state.hasEnded || look === MOST_POLLS || state.lasted >= forMs) return state;
    const isWoken = await changed.then(() => true).catch(() => false);
    if (isWoken && gather > 0) await ctx.wait(`gather changes ${look}`, { seconds: gather });
  }
}

/** A change may come before anything can be woken by it: after the callback was written down, the watch looks. */
const awaitChange = ({ steps, operation }: WatchedOperation, callback: string): Promise<void> =>
  steps.ledger
    .changeOperation(operation, { callbacks: { watch: callback, cancel: callback } })
    .catch((error: unknown) => {
      if (!isBusy(error)) throw error;
    });

async function lookOnce(watched: WatchedOperation, before: Omit<Look, "lasted">): Promise<Omit<Look, "lasted">> {
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

/** Last fields of an operation whose nodes have all ended, as they ended. */
function endOf({ operation, nodes, now }: OperationView) {
  const succeeded = nodes.every((node) => node.status === "succeeded");
  const status: OperationStatus = succeeded ? "succeeded" : operation.cancelledBy ? "cancelled" : "failed";
  return { status, summary: nodesSummary(nodes), endedAt: operation.endedAt ?? now, callbacks: {} };
}

/** Ends an operation whose nodes have all ended, as they ended. Belongs into a step. */
export async function endWatched({ steps, operation, pool }: WatchedOperation): Promise<void> {
  const view = await viewOf(steps, operation, pool);
  if (view) await steps.ledger.changeOperation(operation, endOf(view));
}

/** Publishes the end that is written next. */
async function publishEnded(
  { steps, operation: id, pool, settings }: WatchedOperation,
  last: PublishedMessage,
): Promise<PublishedMessage> {
  const view = await viewOf(steps, id, pool);
  if (!view) return last;
  return publish(steps, { ...view, operation: { ...view.operation, ...endOf(view) } }, last, settings);
}

/** Publishes an operation as it is now. Belongs into a step or a poll. @returns null when the ledger does not hold it */
export async function publishWatched(
  watched: WatchedOperation,
  last: PublishedMessage,
): Promise<PublishedMessage | null> {
  const { steps, operation, pool, settings } = watched;
  const view = await viewOf(steps, operation, pool);
  return view ? publish(steps, view, last, settings) : null;
}

/** Leaves an operation whose nodes have not ended to the sweep, and says so. Belongs into a step. */
export async function handOver(watched: WatchedOperation, last: PublishedMessage): Promise<void> {
  const { steps, operation: id, pool } = watched;
  await steps.ledger.changeOperation(id, {
    handedOver: { pool, published: last },
    summary: handedOverSummary,
    callbacks: {},
  });
  await publishWatched(watched, last);
}

/** Looks once after an operation that was handed over. Belongs into a step. @returns whether it has ended */
export async function followHandedOver(
  watched: WatchedOperation,
  { pool, published: last }: HandedOver,
): Promise<boolean> {
  const { published, hasEnded } = await lookOnce(watched, { published: last, hasEnded: false, checkedAt: 0 });
  // Published before it is written: the sweep looks after nothing that has ended, and the end must be said once Slack is back.
  const said = hasEnded ? await publishEnded(watched, published) : published;
  if (hasEnded && said.trouble === null) await endWatched(watched);
  else await watched.steps.ledger.changeOperation(watched.operation, { handedOver: { pool, published: said } });
  return hasEnded && said.trouble === null;
}

/** Asking every execution whether it still runs is worth a minute's interval; the service allows 30 such calls a second. */
const CHECK_LIVENESS_EVERY_MS = MINUTE;

const NEVER_BEGAN_MS = 15 * MINUTE;

/** A node of a rollout whose turn has not come: no execution was started for it. */
const isDue = ({ status, workflow }: NodeRecord): boolean => !(status === "queued" && workflow === "reboot");

/**
 * Closes nodes whose execution has ended, or never began, without saying so in the ledger.
 * @param last milliseconds since the epoch: when it was done last
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
 * This function may not change Nodes: a start-up taint is left to the sweep. While the cluster is unavailable, the node
 * waits; a cluster that refuses to show the Node must not end the watch of the others.
 */
async function closeLost(steps: Steps, node: NodeRecord, why: StageFault): Promise<void> {
  try {
    await ownStartUpTaint(steps, node);
  } catch (error) {
    if (isBusy(error)) return;
    console.error(`the Node of ${node.operation}:${node.index} could not be read`, wordsOf(error));
  }
  await closeLostNode(steps, node, why, null);
}

async function howLost(steps: Steps, node: NodeRecord): Promise<StageFault | null> {
  if (node.executionArn === null) {
    const isLate = steps.now() - Date.parse(node.startedAt) > NEVER_BEGAN_MS;
    return isLate ? { code: "execution-never-started", why: "the execution never started" } : null;
  }
  const ending = await steps.executions.ending(node.executionArn);
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
 * Tells the watch of an operation that a node's record has changed. If the watch is not waiting, or the notification is
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
