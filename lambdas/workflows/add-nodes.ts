import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../commands/command.ts";
import type { Configuration } from "../configuration.ts";
import { Refused } from "../errors.ts";
import { addDryRun, shownOnly, tooManyNodes } from "../messages/operation/dry-runs.ts";
import { refusedLaunch } from "../messages/provision/obstacles.ts";
import { profileOf } from "../profiles/list.ts";
import { newNodeRecord, type PoolChange, type Published } from "../records.ts";
import { launcherOf } from "../steps/ec2/instances.ts";
import { launchObstacles } from "../steps/ec2/launch-obstacles.ts";
import type { Image } from "../steps/ec2/launch-request.ts";
import { executionName } from "../steps/executions.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { ReleaseDocument } from "../steps/runtime.ts";
import type { Steps } from "../steps/steps.ts";
import { step } from "./engine/durable.ts";
import { type Begun, beginOperation, failOperation, tellRequester } from "./operation/lifecycle.ts";
import { endWatched, handOver, publishWatched, type Watched, watch } from "./operation/progress.ts";
import { publishEnd } from "./operation/publish-end.ts";
import { postFirst } from "./operation/publisher.ts";
import type { ProvisionStart } from "./provision/task.ts";

type AddStart = Start & { readonly request: { readonly command: "add" } };

/** The pool as it was found: nothing of it changes while the operation runs. */
interface Room {
  readonly pool: PoolChange;
  readonly image: Image;
}

/** `/win add`: makes sure there is room, starts one execution per node, and keeps the one message up to date. */
export const addNodes =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const ask = addStart(start);
    let goesOn = false;
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
      const watched = { steps, operation: ask.operation, pool: room.pool, settings: begun };
      const { published, hasEnded } = await watch(ctx, watched, first);
      if (hasEnded) {
        await step(ctx, "end", () => settleAndEnd(watched, ask.request.pool));
        await publishEnd(ctx, steps, () => publishWatched(watched, published));
      } else await step(ctx, "hand over to the sweep", () => handOver(watched, published));
      goesOn = !hasEnded;
    } catch (error) {
      await step(ctx, "end without nodes", () => failOperation(steps, ask, error));
    } finally {
      if (!goesOn) await step(ctx, "settle the pool", () => steps.reservations.close(ask.request.pool, ask.operation));
    }
  };

/** The pool comes first: no sweep looks after an operation that has ended, and telling Slack may take half an hour. */
async function settleAndEnd(watched: Watched, pool: string): Promise<void> {
  await watched.steps.reservations.close(pool, watched.operation);
  await endWatched(watched);
}

const addStart = (start: Start): AddStart => {
  if (start.request.command !== "add") throw new Error("this workflow adds nodes and nothing else");
  return { ...start, request: start.request };
};

async function findRoom(steps: Steps, ask: AddStart, begun: Begun): Promise<Room> {
  const { configuration }: ReleaseDocument = await steps.runtime.read(begun.runtimeVersion);
  const { pool: name, count, dryRun } = ask.request;
  const pool = configuration.pools[name];
  if (!pool) throw new Refused(`pool ${name} was removed from the configuration`);
  await refuseWhatCannotJoin(steps, configuration);
  const profile = profileOf(configuration);
  await steps.instances.checkSecurityGroup(pool.securityGroup, profile.ports(configuration.cluster));
  const machines = await steps.instances.ofPool(configuration.cluster.name, name);
  const kept = await steps.unregistered.countKept(machines);
  const { before, granted } = await steps.reservations.reserve(
    { name, maximum: pool.maximum },
    ask.operation,
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

/** Refuses, before there is a machine, what would keep it from joining the cluster. Claims that cannot be read are told now. */
async function refuseWhatCannotJoin(steps: Steps, configuration: Configuration): Promise<void> {
  const refusal = refusedLaunch(launchObstacles(await steps.cluster.facts(), configuration));
  if (refusal !== undefined) throw new Refused(refusal);
  await steps.claims.all();
}

async function preview(steps: Steps, ask: AddStart, begun: Begun, { pool, image }: Room): Promise<void> {
  const { configuration } = await steps.runtime.read(begun.runtimeVersion);
  const { windows = "", instanceTypes = [], subnets = [] } = configuration.pools[pool.name] ?? {};
  await tellRequester(steps, ask, addDryRun({ pool, windows, imageId: image.imageId, instanceTypes, subnets }));
  await steps.ledger.changeOperation(ask.operation, {
    status: "succeeded",
    summary: shownOnly,
    endedAt: steps.timestamp(),
  });
}

async function post(steps: Steps, ask: AddStart, begun: Begun, room: Room): Promise<Published> {
  for (let index = 0; index < ask.request.count; index += 1)
    await steps.ledger.recordNode(newNodeRecord("provision", ask.operation, index, steps.timestamp()));
  return postFirst(steps, ask.operation, room.pool, begun);
}

const startNode = (steps: Steps, ask: AddStart, begun: Begun, room: Room, index: number): Promise<void> => {
  const payload: ProvisionStart = {
    operation: ask.operation,
    index,
    pool: ask.request.pool,
    image: room.image,
    runtimeVersion: begun.runtimeVersion,
  };
  return steps.executions.start("provision-node", executionName(ask.operation, String(index)), payload);
};

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(addNodes);
