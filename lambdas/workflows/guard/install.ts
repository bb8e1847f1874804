import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { PayloadManifest } from "../../desired/payload.ts";
import type { Observation, Plan } from "../../desired/plan.ts";
import { calledOffBefore } from "../../messages/node/guard.ts";
import { profileOf } from "../../profiles/list.ts";
import type { ReleaseDocument } from "../../steps/runtime.ts";
import type { Steps } from "../../steps/steps.ts";
import { readApplied } from "../engine/apply-plan.ts";
import { MINUTE, step } from "../engine/durable.ts";
import type { FleetOutcome, Reading } from "../engine/fleet-batch.ts";
import { changeFleet, lookAtFleet } from "../engine/run-fleet.ts";
import { guardFault, guardFileFault } from "../node/guard.ts";
import { cancelledBy } from "../operation/requester.ts";
import type { Member, Outcome } from "./members.ts";

/** The installation of the guard on many machines. */
export interface Installation {
  readonly ctx: DurableContext;
  readonly steps: Steps;
  readonly operation: string;
  readonly release: ReleaseDocument;
}

/** Minutes after which no machine may begin any more, however many batches wait for one another. */
const PLAN_MINUTES = 60;

/** Judges an observation of everything as a reboot does before it begins. @returns true, or why the guard is not in order */
export function readGuard(result: object, payload: Pick<PayloadManifest, "files">): Reading<true> {
  const seen = result as Observation;
  if (!seen.ok) return { why: `observe.ps1 failed on the machine: ${seen.error ?? "no error message"}` };
  const why = guardFault(seen) ?? guardFileFault(seen, payload);
  return why === null ? { value: true } : { why };
}

/** Sends the plan to all machines. */
async function apply(installation: Installation, members: readonly Member[]) {
  const { ctx, steps, operation, release } = installation;
  const request = await step(ctx, "plan: guard", () => {
    const plan: Plan = {
      format: 2,
      operation,
      madeAt: Math.floor(steps.now() / 1000),
      notAfter: Math.floor((steps.now() + PLAN_MINUTES * MINUTE) / 1000),
      actions: profileOf(release.configuration).guard(release),
    };
    return steps.machine.requestFor(plan, `plans/${operation}/guard.json`);
  });
  return changeFleet<boolean>(
    ctx,
    steps,
    "apply",
    members.map((member) => ({ lease: member.lease, request })),
    {
      owner: operation,
      name: "install",
      minutes: release.configuration.deadlines.guarding.guard,
      cancelledBy: () => cancelledBy(steps, operation),
      read: readApplied,
    },
  );
}

/** Looks at the machines; one that was changed is looked at although the operation was cancelled since. */
const look = ({ ctx, steps, operation, release }: Installation, members: readonly Member[]) =>
  lookAtFleet<true>(
    ctx,
    steps,
    "observe",
    members.map(({ instanceId }) => ({ instanceId, request: {} })),
    {
      owner: operation,
      name: "verify",
      minutes: release.configuration.deadlines.guarding.guard,
      cancelledBy: async () => null,
      read: (result) => readGuard(result, release.payload),
    },
  );

function failureOf(outcome: FleetOutcome<boolean> | undefined): Outcome | null {
  if (outcome?.state === "done") return null;
  const why = outcome?.why ?? "SSM did not answer for it";
  return { state: why === calledOffBefore ? "cancelled" : "failed", why };
}

/**
 * Installs the guard on all machines, 50 in one command, and looks at each as a reboot does.
 * @returns the result of each machine, by its instance id
 */
export async function install(
  installation: Installation,
  members: readonly Member[],
): Promise<ReadonlyMap<string, Outcome>> {
  const applied = await apply(installation, members);
  const failed = new Map(
    members.flatMap(({ instanceId }) => {
      const failure = failureOf(applied.get(instanceId));
      return failure ? [[instanceId, failure] as const] : [];
    }),
  );
  const changed = members.filter(({ instanceId }) => !failed.has(instanceId));
  const seen = changed.length > 0 ? await look(installation, changed) : new Map<string, FleetOutcome<true>>();
  const works = { state: "works" } as const;
  return new Map(
    members.map(({ instanceId }) => [instanceId, failed.get(instanceId) ?? failureOf(seen.get(instanceId)) ?? works]),
  );
}
