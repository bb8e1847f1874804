import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../commands/command.ts";
import { okdPorts } from "../desired/ports.ts";
import { Refused } from "../errors.ts";
import { addSummary } from "../messages/endings.ts";
import { addDryRun, addRefusal } from "../messages/outcomes.ts";
import type { NodeRecord, OperationStatus, OperationView } from "../records.ts";
import { isBusy } from "../steps/busy.ts";
import { executionName } from "../steps/executions.ts";
import { type Image, instanceOperation } from "../steps/instances.ts";
import type { Runtime } from "../steps/runtime.ts";
import { deployed } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { step } from "./durably.ts";
import { beginOperation, type Begun, failOperation, whisperTo } from "./operation.ts";
import type { ProvisionStart } from "./provision/job.ts";
import { type Published, postFirst, publish, saidAll, viewOf } from "./publisher.ts";

type Adding = Start & { readonly request: { readonly command: "add" } };

/** The pool as it was found: nothing of it changes while the operation runs. */
interface Room {
  readonly pool: NonNullable<OperationView["pool"]>;
  readonly image: Image;
}

/** `/win add`: makes sure there is room, starts one execution per node, and keeps the one message up to date. */
export const addNodes =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const ask = adding(start);
    try {
      const begun = await step(ctx, "begin", () =>
        beginOperation(steps, ask, ctx.executionContext.durableExecutionArn),
      );
      if (!begun) return;
      const room = await step(ctx, "find room", () => findRoom(steps, ask, begun));
      if (ask.request.dryRun) return await step(ctx, "show what would happen", () => preview(steps, ask, begun, room));
      const first = await step(ctx, "post the message", () => post(steps, ask, begun, room));
      for (let index = 0; index < ask.request.count; index += 1) {
        await step(ctx, `start node ${index + 1}`, () => startNode(steps, ask, begun, room, index));
      }
      const last = await watch(ctx, steps, ask, begun, room, first);
      await step(ctx, "end", () => end(steps, ask, begun, room, last));
    } catch (error) {
      await step(ctx, "end without nodes", () => failOperation(steps, ask, error));
    } finally {
      await step(ctx, "settle the pool", () => steps.places.settle(ask.request.pool, ask.operation));
    }
  };

const adding = (start: Start): Adding => {
  if (start.request.command !== "add") throw new Error("this workflow adds nodes and nothing else");
  return { ...start, request: start.request };
};

async function findRoom(steps: Steps, ask: Adding, begun: Begun): Promise<Room> {
  const { configuration }: Runtime = await steps.runtime.read(begun.runtimeVersion);
  const { pool: name, count, dryRun } = ask.request;
  const pool = configuration.pools[name];
  if (!pool) throw new Refused(`The configuration has no pool ${name} any more.`);
  await steps.instances.checkSecurityGroup(pool.securityGroup, okdPorts(configuration.cluster.hybridOverlayPort));
  const existing = (await steps.instances.ofPool(configuration.cluster.name, name)).map(instanceOperation);
  const { before, granted } = await steps.places.reserve(
    { name, maximum: pool.maximum },
    ask.operation,
    dryRun ? 0 : count,
    existing,
  );
  if (!granted || before + count > pool.maximum) {
    throw new Refused(
      addRefusal({ kind: "over-maximum", pool: name, before, count, maximum: pool.maximum }, begun.commandWord),
    );
  }
  return {
    pool: { name, before, after: before + count, maximum: pool.maximum },
    image: await steps.instances.image(pool.windows),
  };
}

async function preview(steps: Steps, ask: Adding, begun: Begun, { pool, image }: Room): Promise<void> {
  const { configuration } = await steps.runtime.read(begun.runtimeVersion);
  const { windows = "", instanceTypes = [], subnets = [] } = configuration.pools[pool.name] ?? {};
  await whisperTo(
    steps,
    ask,
    addDryRun({ pool, windows, imageId: image.imageId, instanceTypes, subnets }, begun.commandWord),
  );
  await steps.ledger.changeOperation(ask.operation, {
    status: "succeeded",
    summary: "Shown only, nothing was changed.",
    endedAt: steps.timestamp(),
  });
}

const queued = (steps: Steps, ask: Adding, index: number): NodeRecord => ({
  operation: ask.operation,
  index,
  status: "queued",
  stage: null,
  startedAt: steps.timestamp(),
  stageSince: steps.timestamp(),
  endedAt: null,
  instanceId: null,
  nodeName: null,
  waitsFor: null,
  failure: null,
  decideBy: null,
  outcome: null,
  notes: [],
  executionArn: null,
  callbacks: {},
});

async function post(steps: Steps, ask: Adding, begun: Begun, room: Room): Promise<Published> {
  for (let index = 0; index < ask.request.count; index += 1) await steps.ledger.beginNode(queued(steps, ask, index));
  return postFirst(steps, ask.operation, room.pool, begun.commandWord);
}

const startNode = (steps: Steps, ask: Adding, begun: Begun, room: Room, index: number): Promise<void> => {
  const payload: ProvisionStart = {
    operation: ask.operation,
    index,
    pool: ask.request.pool,
    image: room.image,
    runtimeVersion: begun.runtimeVersion,
  };
  return steps.executions.start("provision-node", executionName(ask.operation, String(index)), payload);
};

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
async function watch(
  ctx: DurableContext,
  steps: Steps,
  ask: Adding,
  begun: Begun,
  room: Room,
  first: Published,
): Promise<Published> {
  const last = await ctx.waitForCondition<Watch>("watch the nodes", (state) => look(steps, ask, begun, room, state), {
    initialState: { published: first, looks: 0, ended: false, trouble: null },
    waitStrategy: (state) =>
      state.ended || state.trouble
        ? { shouldContinue: false }
        : { shouldContinue: true, delay: { seconds: state.looks < 150 ? 5 : 15 } },
  });
  if (last.trouble) throw new Error(last.trouble);
  return last.published;
}

async function look(steps: Steps, ask: Adding, begun: Begun, room: Room, state: Watch): Promise<Watch> {
  const looks = state.looks + 1;
  try {
    if (looks % LOOKS_PER_CENSUS === 0) await census(steps, ask);
    await noteWaiting(steps, ask);
    const view = await viewOf(steps, ask.operation, room.pool);
    if (!view) return { ...state, looks, trouble: "the operation is not in the ledger any more" };
    const published = await publish(steps, view, state.published, begun.commandWord);
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
async function census(steps: Steps, ask: Adding): Promise<void> {
  for (const node of await steps.ledger.nodes(ask.operation)) {
    if (ENDED.has(node.status)) continue;
    const status = node.executionArn ? await steps.executions.status(node.executionArn) : "RUNNING";
    const neverBegan = node.executionArn === null && steps.now() - Date.parse(node.startedAt) > NEVER_BEGAN_MS;
    if (status === "RUNNING" && !neverBegan) continue;
    const why = neverBegan
      ? "the execution never began"
      : `the execution ended as ${status ?? "unknown"} in the middle of this stage`;
    const left = node.instanceId ? `instance ${node.instanceId} is as it was then` : "no instance was launched";
    const failure = { stage: node.stage ?? ("launch" as const), why, left };
    await steps.ledger.changeNode(ask.operation, node.index, {
      status: "failed",
      failure,
      endedAt: steps.timestamp(),
      outcome: left,
    });
  }
}

/** An operation with a node that waits for somebody's decision is itself waiting. */
async function noteWaiting(steps: Steps, ask: Adding): Promise<void> {
  const nodes = await steps.ledger.nodes(ask.operation);
  const status: OperationStatus = nodes.some((node) => node.status === "deciding") ? "waiting" : "running";
  const operation = await steps.ledger.operation(ask.operation);
  if (operation && operation.endedAt === null && operation.status !== status)
    await steps.ledger.changeOperation(ask.operation, { status });
}

async function end(steps: Steps, ask: Adding, begun: Begun, room: Room, last: Published): Promise<void> {
  const nodes = await steps.ledger.nodes(ask.operation);
  const operation = await steps.ledger.operation(ask.operation);
  const succeeded = nodes.every((node) => node.status === "succeeded");
  const status: OperationStatus = succeeded ? "succeeded" : operation?.cancelledBy ? "cancelled" : "failed";
  await steps.ledger.changeOperation(ask.operation, {
    status,
    summary: addSummary(room.pool.name, nodes),
    endedAt: operation?.endedAt ?? steps.timestamp(),
  });
  const view = await viewOf(steps, ask.operation, room.pool);
  if (view) await publish(steps, view, last, begun.commandWord);
}

/** The Lambda entry. */
export const handler = deployed(addNodes);
