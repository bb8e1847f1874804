import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { step } from "../../engine/durable.ts";
import type { FleetOutcome, LineReading } from "../../engine/fleet-batch.ts";
import { observeFleet } from "../../engine/run-fleet.ts";
import { onOurClock } from "../../machine/boots.ts";
import type { ObserveRequest } from "../../machine/plan.ts";
import type { Answers, ObservationVerdict } from "../../machine/questions.ts";
import { renewalFaultIn, renewalQuestions } from "../../machine/renewal.ts";
import type { Sighting } from "../../machine/seen-machine.ts";
import type { Steps } from "../../steps/steps.ts";
import type { WatchedMachine } from "./watched-machines.ts";

/** Boot of one machine, its reasons for a reboot, and what else a look finds. */
type BootObservation = Pick<Sighting, "bootId" | "reasons" | "file" | "proxiedBy" | "renewalFault">;

/** Minutes for each batch: the script may take ten, and its agent two to begin. */
export const OBSERVE_MINUTES = 14;

/** Machines whose records are written in one step. */
export const NOTED_AT_ONCE = 50;

function readVerdict(result: object, answers: Answers | undefined, now: number): LineReading<BootObservation> {
  const verdict = result as ObservationVerdict;
  if (!verdict.ok) return { why: `observe.ps1 failed on the machine: ${verdict.error ?? "no error message"}` };
  if (!answers?.reboot) return { why: verdict.failed.reboot ?? "observe.ps1 did not say what waits for a reboot" };
  const { reasons, file } = answers.reboot;
  const proxiedBy = answers.agent?.proxiedBy;
  const bootId = onOurClock(verdict.bootId, verdict.clock, now);
  const renewalFault = renewalFaultIn(answers);
  return {
    value: {
      bootId,
      reasons,
      ...(file === undefined ? {} : { file }),
      ...(proxiedBy === undefined ? {} : { proxiedBy }),
      ...(renewalFault === undefined ? {} : { renewalFault }),
    },
  };
}

/** Joins the machine with its observation. If it did not answer, its kubelet may still have reported the boot. */
function sightingOf(
  { isOnline: _, renews, ...machine }: WatchedMachine,
  seen: FleetOutcome<BootObservation> | undefined,
): Sighting {
  if (seen?.state !== "done") return { ...machine, reasons: null };
  return { ...machine, ...(renews === true ? {} : { renewalFault: null }), ...seen.value };
}

const QUESTIONS = { reboot: true, agent: true } as const;

const requestFor = (renews: boolean): ObserveRequest => ({
  questions: renews ? { ...QUESTIONS, tasks: renewalQuestions } : QUESTIONS,
  whole: true,
});

/** Machines that booted without an order of Casement, and those that did not answer. */
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
 * Asks machines for their boots, for reasons to reboot and for what else keeps them from working, 50 in one command, and
 * records the answers. It changes no machine and needs no lease.
 * @param owner unique across executions: the commands' marks begin with it
 */
export async function observeBoots(
  ctx: DurableContext,
  steps: Steps,
  owner: string,
  machines: readonly WatchedMachine[],
): Promise<SightingNotes> {
  const online = machines.filter(({ isOnline }) => isOnline);
  const seen = await observeFleet<BootObservation>(
    ctx,
    steps,
    online.map(({ instanceId, renews }) => ({ instanceId, request: requestFor(renews === true) })),
    {
      ...{ owner, name: "reboots", minutes: OBSERVE_MINUTES, cancelledBy: async () => null },
      read: (result, answers) => readVerdict(result, answers, steps.now()),
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
