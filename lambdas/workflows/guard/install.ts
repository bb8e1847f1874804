import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { PayloadManifest } from "../../desired/payload.ts";
import type { Observation, RouteRequest, RouteResult } from "../../desired/plan.ts";
import { calledOffBefore } from "../../messages/node/guard.ts";
import type { ReleaseDocument } from "../../steps/runtime.ts";
import type { Steps } from "../../steps/steps.ts";
import { MINUTE, step } from "../engine/durable.ts";
import type { FleetOutcome, Reading } from "../engine/fleet-batch.ts";
import { lookAtFleet, sendToFleet } from "../engine/run-fleet.ts";
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

/** Reads the result line of `route.ps1`. */
export function readRoute(result: object): Reading<true> {
  const { ok, failed } = result as Partial<RouteResult>;
  if (ok === true) return { value: true };
  return { why: failed ? `${failed.action}: ${failed.error}` : "route.ps1 did not finish and does not say why" };
}

/**
 * The request that installs the guard, or takes it away.
 * @param now milliseconds since the epoch
 * @param minutes after which the machine may not begin any more
 */
export const routeRequest = (
  what: RouteRequest["do"],
  operation: string,
  now: number,
  minutes: number,
): RouteRequest => ({
  do: what,
  operation,
  madeAt: Math.floor(now / 1_000),
  notAfter: Math.floor((now + minutes * MINUTE) / 1_000),
});

/** Sends the guard to all machines. */
async function apply(installation: Installation, members: readonly Member[]) {
  const { ctx, steps, operation, release } = installation;
  const request = await step(ctx, "plan: guard", async () =>
    routeRequest("install", operation, steps.now(), PLAN_MINUTES),
  );
  return sendToFleet<true>(
    ctx,
    steps,
    "route",
    members.map((member) => ({ lease: member.lease, request })),
    {
      owner: operation,
      name: "install",
      minutes: release.configuration.deadlines.guarding.guard,
      cancelledBy: () => cancelledBy(steps, operation),
      read: readRoute,
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

function failureOf(outcome: FleetOutcome<true> | undefined): Outcome | null {
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
