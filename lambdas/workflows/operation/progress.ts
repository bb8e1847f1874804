import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { NodeRecord, OperationStatus, OperationView } from "../../records.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";
import { MINUTE, step } from "../engine/durable.ts";
import { closeLostNode, ownStartUpTaint } from "../node/lost-node.ts";
import { type Published, publish, saidAll, viewOf } from "./publisher.ts";

/** The `add` whose nodes are watched, and what is needed to tell people about them. */
export interface Watched {
  readonly steps: Steps;
  readonly operation: string;
  readonly pool: OperationView["pool"];
  readonly commandWord: string;
}

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

/** State of the watch after a look. */
interface Watch {
  readonly published: Published;
  readonly ended: boolean;
  /** Milliseconds: when the executions themselves were last asked after. */
  readonly censusAt: number;
}

/** Behind the nodes' own word stands a slow poll, which also refreshes the elapsed times. */
const LOOK_AGAIN_SECONDS = 30;
const LOOK_AGAIN_LATER_SECONDS = 60;
const LOOKS_BEFORE_LATER = 200;

/** The service ends an execution at 3,000 operations; a look is three at most. */
export const MOST_LOOKS = 900;

/** Many nodes change many times a minute: what comes together is told together, because Slack takes few updates. */
const FEW_NODES = 3;
const GATHER_SECONDS = 4;

/**
 * After many looks changes are gathered for longer: the looks that are left then outlast every node's execution, so the watch
 * never ends before its nodes.
 */
const LOOKS_BEFORE_PATIENCE = 500;
const GATHER_PATIENTLY_SECONDS = 75;

/**
 * The seconds between a change and the look at it.
 * @param look counted from 1, at most `MOST_LOOKS`
 * @param nodes how many are watched
 */
export function gatherSeconds(look: number, nodes: number): number {
  if (look > LOOKS_BEFORE_PATIENCE) return GATHER_PATIENTLY_SECONDS;
  return nodes > FEW_NODES ? GATHER_SECONDS : 0;
}

/**
 * Every node is looked after by its own execution: here their records are read and told, until all have ended. Whoever
 * changes a record wakes the watch, see `notifyProgress`.
 */
export async function watch(ctx: DurableContext, watched: Watched, first: Published): Promise<Published> {
  let state: Watch = { published: first, ended: false, censusAt: 0 };
  for (let look = 1; ; look += 1) {
    const before = state;
    const seconds = look > LOOKS_BEFORE_LATER ? LOOK_AGAIN_LATER_SECONDS : LOOK_AGAIN_SECONDS;
    const [changed, callback] = await ctx.createCallback(`change ${look}`, { timeout: { seconds } });
    state = await step(ctx, `look ${look}`, () => lookOnce(watched, before, callback));
    if (state.ended || look === MOST_LOOKS) return state.published;
    await changed.catch(() => undefined);
    const gather = gatherSeconds(look, state.published.told.length);
    if (gather > 0) await ctx.wait(`gather changes ${look}`, { seconds: gather });
  }
}

async function lookOnce(watched: Watched, before: Watch, callback: string): Promise<Watch> {
  const { steps, operation } = watched;
  try {
    // A change may come before anybody can be woken by it: after writing the callback down, look.
    await steps.ledger.changeOperation(operation, { callbacks: { watch: callback, cancel: callback } });
    const censusAt = await census(watched, before.censusAt);
    const view = await noteWaiting(watched);
    const published = await publish(steps, view, before.published, watched.commandWord);
    const ended = view.nodes.every((node) => ENDED.has(node.status)) && saidAll(published, view.nodes);
    return { published, ended, censusAt };
  } catch (error) {
    if (!isBusy(error)) throw error;
    return before;
  }
}

/** Asking every execution whether it still runs is worth a minute's interval; the service allows 30 such calls a second. */
const CENSUS_EVERY_MS = MINUTE;

const NEVER_BEGAN_MS = 15 * MINUTE;

/** Closes nodes whose execution has ended, or never began, without saying so in the ledger. */
async function census({ steps, operation }: Watched, last: number): Promise<number> {
  const now = steps.now();
  if (now - last < CENSUS_EVERY_MS) return last;
  for (const node of await steps.ledger.nodes(operation)) {
    const why = ENDED.has(node.status) ? null : await howLost(steps, node);
    if (why !== null) await closeLost(steps, node, why);
  }
  return now;
}

/** This function may not change Nodes: a start-up taint is left to the sweep. While the cluster is away, the node waits. */
async function closeLost(steps: Steps, node: NodeRecord, why: string): Promise<void> {
  try {
    await ownStartUpTaint(steps, node);
  } catch (error) {
    if (isBusy(error)) return;
    throw error;
  }
  await closeLostNode(steps, node, why, null);
}

async function howLost(steps: Steps, node: NodeRecord): Promise<string | null> {
  if (node.executionArn === null) {
    return steps.now() - Date.parse(node.startedAt) > NEVER_BEGAN_MS ? "the execution never started" : null;
  }
  const ending = await steps.executions.ending(node.executionArn);
  return ending === null ? null : `the execution ended as ${ending} during this stage`;
}

/** An operation with a node that waits for somebody's decision is itself waiting. */
async function noteWaiting({ steps, operation: id, pool }: Watched): Promise<OperationView> {
  const view = await viewOf(steps, id, pool);
  if (!view) throw new Error("the operation is not in the ledger any more");
  const { operation, nodes } = view;
  const status: OperationStatus = nodes.some((node) => node.status === "deciding") ? "waiting" : "running";
  if (operation.endedAt !== null || operation.status === status) return view;
  await steps.ledger.changeOperation(id, { status });
  return { ...view, operation: { ...operation, status } };
}

/**
 * Tells the watch of an operation that a node's record has changed. Nobody may be waiting just now: then the next look
 * sees it, and the same goes for a word that is lost.
 */
export async function notifyProgress(steps: Steps, operation: string): Promise<void> {
  try {
    const callback = (await steps.ledger.operation(operation))?.callbacks.watch;
    if (callback) await steps.executions.complete(callback, {});
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}
