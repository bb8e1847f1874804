import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { failOperation, showOnly } from "../../change/operation/lifecycle.ts";
import type { Op } from "../../change/operation/op.ts";
import {
  endWatched,
  handOver,
  publishWatched,
  type WatchedOperation,
  watchNodes,
} from "../../change/operation/progress.ts";
import { publishEnd } from "../../change/operation/publish-end.ts";
import { postFirst } from "../../change/operation/publisher.ts";
import { begin } from "../../change/operation/scheduled.ts";
import type { Request, Start } from "../../commands/request.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { step } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import { addDryRun, tooManyNodes } from "../../messages/operation/dry-runs.ts";
import { refusedLaunch } from "../../messages/provision/obstacles.ts";
import { profileOf } from "../../profiles/list.ts";
import { newNodeRecord, type PoolChange, type PublishedMessage } from "../../records/records.ts";
import { launcherOf } from "../../steps/ec2/instances.ts";
import { launchObstacles } from "../../steps/ec2/launch-obstacles.ts";
import type { Image } from "../../steps/ec2/launch-request.ts";
import { executionName } from "../../steps/executions.ts";
import { lambdaEntry } from "../../steps/host.ts";
import type { ReleaseDocument } from "../../steps/runtime.ts";
import type { Steps } from "../../steps/steps.ts";
import type { ProvisionStart } from "./task.ts";

type AddRequest = Extract<Request, { command: "add" }>;

/** The pool's numbers and image at the start; they hold for the whole operation. */
interface Room {
  readonly pool: PoolChange;
  readonly image: Image;
}

/** An add whose nodes have been started, and its message. */
interface StartedNodes {
  readonly pool: PoolChange;
  readonly first: PublishedMessage;
}

/** Checks that the pool has room, and starts one execution per node. @returns null for a dry run */
async function open(op: Op<AddRequest>): Promise<StartedNodes | null> {
  const { ctx, request } = op;
  const room = await step(ctx, "find room", () => findRoom(op));
  if (request.dryRun) return step(ctx, "show what would happen", () => preview(op, room)).then(() => null);
  const first = await step(ctx, "post the message", () => post(op, room));
  for (let index = 0; index < request.count; index += 1)
    await step(ctx, `start node ${index + 1}`, () => startNode(op, room, index));
  return { pool: room.pool, first };
}

/** Keeps the message up to date until all nodes have ended. @returns false if the sweep has to continue */
async function follow(
  { ctx, steps, start, request, settings }: Op<AddRequest>,
  { pool, first }: StartedNodes,
): Promise<boolean> {
  const watched = { steps, operation: start.operation, pool, settings };
  const { published, hasEnded } = await watchNodes(ctx, watched, first);
  if (hasEnded) {
    await step(ctx, "end", () => settleAndEnd(watched, request.pool));
    await publishEnd(ctx, steps, () => publishWatched(watched, published));
  } else await step(ctx, "hand over to the sweep", () => handOver(watched, published));
  return hasEnded;
}

/** `/win add`: checks that the pool has room, starts one execution per node, and keeps the one message up to date. */
export const addNodes =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request, operation } = start;
    if (request.command !== "add") throw new Error("this workflow adds nodes and nothing else");
    const execution = { ctx, steps, start };
    let goesOn = false;
    try {
      const op = await begin(execution, request);
      if (!op) return;
      const opened = await open(op);
      goesOn = opened !== null && !(await follow(op, opened));
    } catch (error) {
      await step(ctx, "end without nodes", () => failOperation(execution, error));
    } finally {
      if (!goesOn) await step(ctx, "settle the pool", () => steps.reservations.close(request.pool, operation));
    }
  };

/**
 * Settles the pool's reservation, then ends the operation: the sweep skips ended operations, and publishing to Slack
 * may take half an hour.
 */
async function settleAndEnd(watched: WatchedOperation, pool: string): Promise<void> {
  await watched.steps.reservations.close(pool, watched.operation);
  await endWatched(watched);
}

async function findRoom({ steps, start, request, settings }: Op<AddRequest>): Promise<Room> {
  const { configuration }: ReleaseDocument = await steps.runtime.read(settings.runtimeVersion);
  const { pool: name, count, dryRun } = request;
  const pool = configuration.pools[name];
  if (!pool) throw new Refused(`pool ${name} was removed from the configuration`);
  await refuseObstacles(steps, configuration);
  const profile = profileOf(configuration);
  await steps.instances.checkSecurityGroup(pool.securityGroup, profile.ports(configuration.cluster));
  const machines = await steps.instances.ofPool(configuration.cluster.name, name);
  const kept = (await steps.unregistered.kept(machines)).length;
  const { before, granted } = await steps.reservations.reserve(
    { name, maximum: pool.maximum },
    start.operation,
    dryRun ? 0 : count,
    machines.map(launcherOf),
  );
  if (!granted || before + count > pool.maximum) {
    throw new Refused(tooManyNodes({ pool: name, before, count, maximum: pool.maximum, kept }));
  }
  return {
    pool: { name, before, after: before + count, maximum: pool.maximum, kept },
    image: await steps.instances.image(profile.imageParameter(pool.windows)),
  };
}

/**
 * Refuses an add whose machines could not join the cluster, before one is launched. If the claims of other controllers
 * cannot be read, it fails here too.
 */
async function refuseObstacles(steps: Steps, configuration: Configuration): Promise<void> {
  const profile = profileOf(configuration);
  const facts = await steps.cluster.facts(profile, configuration);
  const refusal = refusedLaunch(launchObstacles(facts, configuration, profile.network));
  if (refusal !== undefined) throw new Refused(refusal);
  await steps.claims.all();
}

async function preview(op: Op<AddRequest>, { pool, image }: Room): Promise<void> {
  const { steps, settings } = op;
  const { configuration } = await steps.runtime.read(settings.runtimeVersion);
  const { windows = "", instanceTypes = [], subnets = [] } = configuration.pools[pool.name] ?? {};
  await showOnly(op, addDryRun({ pool, windows, imageId: image.imageId, instanceTypes, subnets }));
}

async function post(
  { steps, start: { operation }, request, settings }: Op<AddRequest>,
  room: Room,
): Promise<PublishedMessage> {
  for (let index = 0; index < request.count; index += 1)
    await steps.ledger.recordNode(newNodeRecord("provision", operation, index, steps.timestamp()));
  return postFirst(steps, operation, room.pool, settings);
}

function startNode(
  { steps, start: { operation }, request: { pool }, settings: { runtimeVersion } }: Op<AddRequest>,
  { image }: Room,
  index: number,
): Promise<void> {
  const payload: ProvisionStart = { operation, index, pool, image, runtimeVersion };
  return steps.executions.start("provision-node", executionName(operation, String(index)), payload);
}

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(addNodes);
