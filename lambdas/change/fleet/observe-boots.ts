import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { step } from "../../engine/durable.ts";
import type { LineReading } from "../../engine/fleet-batch.ts";
import type { FleetOutcome } from "../../engine/fleet-outcome.ts";
import { observeFleet } from "../../engine/run-fleet.ts";
import type { ExpectedMachine } from "../../health/facts.ts";
import { exitQuestions, machineTroubles, serviceQuestions } from "../../health/machine-troubles.ts";
import { onOurClock } from "../../machine/boots.ts";
import type { ObserveRequest } from "../../machine/plan.ts";
import type { Answers, ObservationVerdict } from "../../machine/questions.ts";
import { renewalFaultIn, renewalQuestions } from "../../machine/renewal.ts";
import type { Sighting } from "../../machine/seen-machine.ts";
import { profileOf } from "../../profiles/list.ts";
import type { Steps } from "../../steps/steps.ts";
import type { WatchedMachine } from "./watched-machines.ts";

/** Boot of one machine, its reasons for a reboot, and what else an observation finds. */
type BootObservation = Pick<
  Sighting,
  "bootId" | "reasons" | "file" | "troubles" | "repairs" | "proxiedBy" | "renewalFault"
>;

/** Minutes for each batch: the script may take ten, and its agent two to begin. */
export const OBSERVE_MINUTES = 14;

/** Machines whose records are written in one step. */
export const NOTED_AT_ONCE = 50;

/** Reads one machine's answers; a pool that switches the watch of reboots off is not asked for reasons. */
function readVerdict(
  result: object,
  answers: Answers | undefined,
  { now, expected }: { readonly now: number; readonly expected: ExpectedMachine | undefined },
): LineReading<BootObservation> {
  const verdict = result as ObservationVerdict;
  if (!verdict.ok) return { why: `observe.ps1 failed on the machine: ${verdict.error ?? "no error message"}` };
  if (!answers || verdict.failed.reboot)
    return { why: verdict.failed.reboot ?? "observe.ps1 did not say what waits for a reboot" };
  const { reasons, file } = answers.reboot ?? { reasons: [] };
  const proxiedBy = answers.agent?.proxiedBy;
  const renewalFault = renewalFaultIn(answers);
  const repairs = answers.guard?.repairs;
  const troubles = expected && machineTroubles(answers, expected, verdict.clock);
  return {
    value: {
      bootId: onOurClock(verdict.bootId, verdict.clock, now),
      reasons,
      ...(file === undefined ? {} : { file }),
      ...(troubles === undefined ? {} : { troubles }),
      ...(repairs === undefined ? {} : { repairs }),
      ...(proxiedBy === undefined ? {} : { proxiedBy }),
      ...(renewalFault === undefined ? {} : { renewalFault }),
    },
  };
}

/** Joins the machine with its observation. If it did not answer, its kubelet may still have reported the boot. */
function sightingOf(
  { isOnline: _online, profile: _profile, renews, ...machine }: WatchedMachine,
  seen: FleetOutcome<BootObservation> | undefined,
): Sighting {
  if (seen?.state !== "done") return { ...machine, reasons: null };
  return { ...machine, ...(renews === true ? {} : { renewalFault: null }), ...seen.value };
}

/** Questions to a machine; machines with the same questions share a command. */
const requestFor = (
  { isBootIgnored, renews }: WatchedMachine,
  expected: ExpectedMachine | undefined,
): ObserveRequest => ({
  questions: {
    ...(isBootIgnored ? {} : { reboot: true }),
    agent: true,
    ...(expected
      ? { services: serviceQuestions(expected), exits: exitQuestions(expected), guard: true, disk: true }
      : {}),
    ...(renews ? { tasks: renewalQuestions } : {}),
  },
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
 * Asks machines for their boots, reasons to reboot, services, free space and what else keeps them from working, 50 in one command, and
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
  const [{ profile } = { profile: undefined }] = machines;
  const expected = profile && profileOf({ cluster: { profile } }).expected;
  const seen = await observeFleet<BootObservation>(
    ctx,
    steps,
    online.map((one) => ({ instanceId: one.instanceId, request: requestFor(one, expected) })),
    {
      ...{ owner, name: "reboots", minutes: OBSERVE_MINUTES, cancelledBy: async () => null },
      read: (result, answers) => readVerdict(result, answers, { now: steps.now(), expected }),
    },
  );
  const sightings = machines.map((machine) => ({
    ...sightingOf(machine, seen.get(machine.instanceId)),
    mark: owner,
  }));
  const foreign: Sighting[] = [];
  for (let from = 0; from < sightings.length; from += NOTED_AT_ONCE) {
    const some = sightings.slice(from, from + NOTED_AT_ONCE);
    foreign.push(...(await step(ctx, `write down machines from ${from + 1}`, () => note(steps, some))));
  }
  return { foreign, unseen: sightings.flatMap(({ node, reasons }) => (reasons === null ? [node] : [])) };
}
