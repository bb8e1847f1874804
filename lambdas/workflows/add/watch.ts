import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { NodeRecord, OperationStatus, OperationView } from "../../records.ts";
import { isBusy } from "../../steps/busy.ts";
import type { Steps } from "../../steps/steps.ts";
import { type Published, publish, saidAll, viewOf } from "../publisher.ts";

/** An `add` whose nodes are on their way. */
export interface Adding {
  readonly steps: Steps;
  readonly operation: string;
  readonly pool: OperationView["pool"];
  readonly commandWord: string;
}

const ENDED: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

/** How the watch stands between its looks. */
interface Watch {
  readonly published: Published;
  readonly looks: number;
  readonly ended: boolean;
  /** A bug in the watch itself: the nodes go on, the message says what is wrong. */
  readonly trouble: string | null;
}

/** Every node is looked after by its own execution: here their records are read and told, until all have ended. */
export async function watch(ctx: DurableContext, adding: Adding, first: Published): Promise<Published> {
  const last = await ctx.waitForCondition<Watch>("watch the nodes", (state) => look(adding, state), {
    initialState: { published: first, looks: 0, ended: false, trouble: null },
    waitStrategy: (state) =>
      state.ended || state.trouble
        ? { shouldContinue: false }
        : { shouldContinue: true, delay: { seconds: state.looks < 150 ? 5 : 15 } },
  });
  if (last.trouble) throw new Error(last.trouble);
  return last.published;
}

async function look(adding: Adding, state: Watch): Promise<Watch> {
  const looks = state.looks + 1;
  try {
    if (looks % LOOKS_PER_CENSUS === 0) await census(adding);
    await noteWaiting(adding);
    const view = await viewOf(adding.steps, adding.operation, adding.pool);
    if (!view) return { ...state, looks, trouble: "the operation is not in the ledger any more" };
    const published = await publish(adding.steps, view, state.published, adding.commandWord);
    const ended = view.nodes.every((node) => ENDED.has(node.status));
    return { ...state, published, looks, ended: ended && (saidAll(published, view.nodes) || looks > MOST_LOOKS) };
  } catch (error) {
    return isBusy(error)
      ? { ...state, looks }
      : { ...state, looks, trouble: error instanceof Error ? error.message : String(error) };
  }
}

/** Asking every execution whether it still runs is worth a minute's interval; the service allows 30 such calls a second. */
const LOOKS_PER_CENSUS = 12;

/** The service ends an execution at 3,000 operations; every look is one. */
const MOST_LOOKS = 2_000;

const NEVER_BEGAN_MS = 15 * 60_000;

/** Finds nodes whose execution has ended, or never began, without saying so in the ledger. */
async function census({ steps, operation }: Adding): Promise<void> {
  for (const node of await steps.ledger.nodes(operation)) {
    const lost = ENDED.has(node.status) ? null : await howLost(steps, node);
    if (lost === null) continue;
    const left = node.instanceId ? `instance ${node.instanceId} is as it was then` : "no instance was launched";
    const failure = { stage: node.stage ?? ("launch" as const), why: lost, left };
    const change = { status: "failed", failure, endedAt: steps.timestamp(), outcome: left } as const;
    await steps.ledger.changeNode(operation, node.index, change);
  }
}

async function howLost(steps: Steps, node: NodeRecord): Promise<string | null> {
  if (node.executionArn === null) {
    return steps.now() - Date.parse(node.startedAt) > NEVER_BEGAN_MS ? "the execution never began" : null;
  }
  const status = await steps.executions.status(node.executionArn);
  return status === "RUNNING" ? null : `the execution ended as ${status ?? "unknown"} in the middle of this stage`;
}

/** An operation with a node that waits for somebody's decision is itself waiting. */
async function noteWaiting({ steps, operation: id }: Adding): Promise<void> {
  const nodes = await steps.ledger.nodes(id);
  const status: OperationStatus = nodes.some((node) => node.status === "deciding") ? "waiting" : "running";
  const operation = await steps.ledger.operation(id);
  if (operation && operation.endedAt === null && operation.status !== status) {
    await steps.ledger.changeOperation(id, { status });
  }
}
