import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { GROUPS_AT_ONCE, MOST_MACHINES } from "../machine/fleet-size.ts";
import type { ObserveRequest } from "../machine/plan.ts";
import type { ChangeScript } from "../scripts/documents.ts";
import type { Lease } from "../steps/ledger/leases.ts";
import type { Steps } from "../steps/steps.ts";
import { atMost, chunksOf, numbered } from "./chunks.ts";
import { failureReason } from "./durable.ts";
import { type Batch, type FleetRun, runBatch } from "./fleet-batch.ts";
import { allFailed, type FleetOutcome } from "./fleet-outcome.ts";

/** One machine to read. */
export interface MachineQuestion {
  readonly instanceId: string;
  readonly request: ObserveRequest;
}

/** One machine to change, leased by this operation. */
export interface MachineChange {
  readonly lease: Lease;
  readonly request: object;
}

/** Machines that one script changes. */
interface FleetChanges {
  readonly script: ChangeScript;
  readonly machines: readonly MachineChange[];
}

/** Most commands of a group that run together: SendCommand is throttled as well. */
const COMMANDS_AT_ONCE = 5;

/**
 * Groups machines by equal request, and each group into batches that one command may name.
 * @returns in the order of the machines
 */
export const batchesOf = <M extends { readonly request: object }>(members: readonly M[]): readonly (readonly M[])[] =>
  [...Map.groupBy(members, ({ request }) => JSON.stringify(request)).values()].flatMap(chunksOf);

/** Joins small batches, so that the outcomes of at most 50 machines are one result of the execution. */
function joinBatches(batches: readonly Batch[]): readonly (readonly Batch[])[] {
  const together: Batch[][] = [[]];
  let machines = 0;
  for (const batch of batches) {
    machines += batch.instanceIds.length;
    if (machines <= MOST_MACHINES) together.at(-1)?.push(batch);
    else {
      together.push([batch]);
      machines = batch.instanceIds.length;
    }
  }
  return together;
}

async function runTogether<T>(
  ctx: DurableContext,
  steps: Steps,
  batches: readonly Batch[],
  run: FleetRun<T>,
): Promise<readonly FleetOutcome<T>[]> {
  const ended = await ctx.map(
    run.name,
    [...batches],
    async (child, batch) => {
      try {
        return await runBatch(child, steps, batch, run);
      } catch (error) {
        return allFailed(batch.instanceIds, failureReason(error));
      }
    },
    { maxConcurrency: COMMANDS_AT_ONCE, completionConfig: { toleratedFailurePercentage: 100 } },
  );
  return ended.getResults().flat();
}

async function runBatches<T>(
  ctx: DurableContext,
  steps: Steps,
  batches: readonly Batch[],
  run: FleetRun<T>,
): Promise<ReadonlyMap<string, FleetOutcome<T>>> {
  const outcomes = await atMost(GROUPS_AT_ONCE, joinBatches(batches), (together, at) =>
    runTogether(ctx, steps, together, { ...run, name: numbered(run.name, at) }),
  );
  return new Map(outcomes.flat().map((one) => [one.instanceId, one]));
}

/**
 * Reads many machines, 50 in one command and without a lease.
 * @returns an outcome for every machine; a failing machine does not affect the others
 */
export const observeFleet = <T>(
  ctx: DurableContext,
  steps: Steps,
  machines: readonly MachineQuestion[],
  run: FleetRun<T>,
): Promise<ReadonlyMap<string, FleetOutcome<T>>> => {
  const batches = batchesOf(machines).map(
    (batch, at): Batch => ({
      name: `${run.name} ${at + 1}`,
      script: "observe",
      instanceIds: batch.map(({ instanceId }) => instanceId),
      send: (ids, mark) => steps.fleet.observe(ids, { script: "observe", request: batch[0]?.request ?? {}, mark }),
    }),
  );
  return runBatches(ctx, steps, batches, run);
};

/**
 * Changes many machines, 50 in one command; the lease of each is checked before its command is sent.
 * @returns an outcome for every machine; a failing machine does not affect the others
 */
export const sendToFleet = <T>(
  ctx: DurableContext,
  steps: Steps,
  { script, machines }: FleetChanges,
  run: FleetRun<T>,
): Promise<ReadonlyMap<string, FleetOutcome<T>>> => {
  const batches = batchesOf(machines).map((batch, at): Batch => {
    const leases = new Map(batch.map(({ lease }) => [lease.instanceId, lease]));
    const held = (ids: readonly string[]): Lease[] => ids.flatMap((id) => leases.get(id) ?? []);
    return {
      name: `${run.name} ${at + 1}`,
      script,
      instanceIds: [...leases.keys()],
      send: (ids, mark) => steps.fleet.change(held(ids), { script, request: batch[0]?.request ?? {}, mark }),
    };
  });
  return runBatches(ctx, steps, batches, run);
};
