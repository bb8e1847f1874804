import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { step } from "../../engine/durable.ts";
import type { FleetOutcome, LineReading } from "../../engine/fleet-batch.ts";
import { lookAtFleet } from "../../engine/run-fleet.ts";
import type { ObservationVerdict, RebootReason } from "../../machine/questions.ts";
import { onOurClock, reasonsOf, type Sighting } from "../../machine/seen-machine.ts";
import type { Steps } from "../../steps/steps.ts";
import type { WatchedMachine } from "./watched-machines.ts";

/** Verdict of one machine. */
interface Seen {
  readonly bootId: string;
  readonly reasons: readonly RebootReason[];
}

/** Minutes for each batch: the script may take ten, and its agent two to begin. */
export const LOOK_MINUTES = 14;

/** Machines whose records are written in one step. */
export const NOTED_AT_ONCE = 50;

function readVerdict(result: object, now: number): LineReading<Seen> {
  const verdict = result as ObservationVerdict;
  if (!verdict.ok) return { why: `observe.ps1 failed on the machine: ${verdict.error ?? "no error message"}` };
  const reasons = reasonsOf(verdict.hashes.reboot);
  if (!reasons) return { why: verdict.failed.reboot ?? "observe.ps1 did not say what waits for a reboot" };
  return { value: { bootId: onOurClock(verdict.bootId, verdict.clock, now), reasons } };
}

/** A machine that does not answer may still have a kubelet that reports its boot. */
function sightingOf({ isOnline: _, ...machine }: WatchedMachine, seen: FleetOutcome<Seen> | undefined): Sighting {
  return seen?.state === "done" ? { ...machine, ...seen.value } : { ...machine, reasons: null };
}

/** Machines with what was seen of them, and those that booted without an order of Casement's. */
export interface SightingNotes {
  readonly foreign: readonly Sighting[];
  /** Nodes whose machines did not answer. */
  readonly unseen: readonly string[];
}

/** Belongs into a step. */
async function note(steps: Steps, sightings: readonly Sighting[]): Promise<readonly Sighting[]> {
  const own = await steps.machines.seen.ownReboots();
  const foreign: Sighting[] = [];
  for (const sighting of sightings)
    if ((await steps.machines.seen.note(sighting, own.get(sighting.instanceId))) === "foreign") foreign.push(sighting);
  return foreign;
}

/**
 * Asks machines for their boots and for what waits for a reboot, 50 in one command, and writes it down. Nothing is changed, and no lease is
 * needed.
 * @param owner unique across executions: the commands' marks begin with it
 */
export async function lookAtReboots(
  ctx: DurableContext,
  steps: Steps,
  owner: string,
  machines: readonly WatchedMachine[],
): Promise<SightingNotes> {
  const online = machines.filter(({ isOnline }) => isOnline);
  const request = { questions: { reboot: true } } as const;
  const seen = await lookAtFleet<Seen>(
    ctx,
    steps,
    "observe",
    online.map(({ instanceId }) => ({ instanceId, request })),
    {
      ...{ owner, name: "reboots", minutes: LOOK_MINUTES, cancelledBy: async () => null },
      read: (result) => readVerdict(result, steps.now()),
    },
  );
  const sightings = machines.map((machine) => sightingOf(machine, seen.get(machine.instanceId)));
  const foreign: Sighting[] = [];
  for (let from = 0; from < sightings.length; from += NOTED_AT_ONCE) {
    const some = sightings.slice(from, from + NOTED_AT_ONCE);
    foreign.push(...(await step(ctx, `write down machines from ${from + 1}`, () => note(steps, some))));
  }
  return { foreign, unseen: sightings.flatMap(({ node, reasons }) => (reasons === null ? [node] : [])) };
}
