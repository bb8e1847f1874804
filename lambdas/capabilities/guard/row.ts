import type { FleetOperation, FleetRow, Outcome, SendPlan } from "../../change/fleet/row.ts";
import { guardFault, guardFileFault } from "../../change/node/guard.ts";
import { readRoute, routeRequest } from "../../change/node/route.ts";
import type { OperationSettings } from "../../change/operation/op.ts";
import { postFirst } from "../../change/operation/publisher.ts";
import { step } from "../../engine/durable.ts";
import type { LineReading } from "../../engine/fleet-batch.ts";
import type { PayloadManifest } from "../../machine/payload.ts";
import type { Observation } from "../../machine/plan.ts";
import { nodeIsGone } from "../../messages/node/cordon.ts";
import { guardedWithoutNode, guardLeaves } from "../../messages/node/guard.ts";
import { codeOfScript } from "../../records/failures.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { NodeChange } from "../../steps/ledger/ledger.ts";
import type { Steps } from "../../steps/steps.ts";
import type { Target } from "./targets.ts";

/** Minutes after which no machine may begin, however many batches wait for one another. */
const PLAN_MINUTES = 60;

/** Judges a whole observation as a reboot does before it begins. @returns true, or the fault of the guard */
export function readGuard(result: object, payload: Pick<PayloadManifest, "files">): LineReading<true> {
  const seen = result as Observation;
  if (!seen.ok)
    return { why: `observe.ps1 failed on the machine: ${seen.error ?? "no error message"}`, code: codeOfScript(seen) };
  return guardFault(seen) ?? guardFileFault(seen, payload) ?? { value: true };
}

/** Reads the operation's release, which decides the script to send and the guard to expect. */
async function sending(
  { ctx, steps, operation }: FleetOperation,
  { runtimeVersion }: OperationSettings,
): Promise<SendPlan<Target>> {
  const { configuration, payload } = await step(ctx, "read the release", () => steps.runtime.read(runtimeVersion));
  return {
    script: "route",
    minutes: configuration.deadlines.guarding.guard,
    plan: async () => routeRequest("install", operation, steps.now(), PLAN_MINUTES),
    read: readRoute,
    verify: (result) => readGuard(result, payload),
  };
}

/**
 * Finds the Nodes that were deleted meanwhile. If the cluster does not answer, it finds none: the machines do not need
 * it.
 */
async function deletedOf(steps: Steps, members: readonly { readonly uid: string }[]): Promise<ReadonlySet<string>> {
  try {
    const uids = new Set((await steps.nodes.all()).map(({ metadata }) => metadata?.uid));
    return new Set(members.flatMap(({ uid }) => (uids.has(uid) ? [] : [uid])));
  } catch (error) {
    if (isBusy(error)) return new Set();
    throw error;
  }
}

/** End of a node's record, by the outcome of its machine. */
function endOfGuarding(outcome: Outcome, isDeleted: boolean): NodeChange {
  if (outcome.state === "changed")
    return { status: "succeeded", ...(isDeleted ? { outcome: guardedWithoutNode } : {}) };
  const { state, ...reason } = outcome;
  if (state === "cancelled") return { status: "cancelled", failure: null };
  const changed = state === "failed" ? guardLeaves.perhaps : guardLeaves.untouched;
  const left = isDeleted ? `${changed}; ${nodeIsGone}` : changed;
  return { status: "failed", failure: { stage: "guard", ...reason, left } };
}

/**
 * Fleet change that installs the guard on the requested machines, 50 in one command, and verifies each as a reboot
 * does.
 */
export const guardRow = (op: FleetOperation, settings: OperationSettings): FleetRow<Target> => ({
  workflow: "guarding",
  stage: "guard",
  claim: "take the leases",
  onHeld: (why) => ({ state: "untouched", why }),
  onClaimed: async () => {
    await op.steps.ledger.changeOperation(op.operation, { status: "running" });
    return postFirst(op.steps, op.operation, null, settings);
  },
  sending: () => sending(op, settings),
  rest: { plan: "plan: guard", send: "install", settle: "settle" },
  deleted: (members) => deletedOf(op.steps, members),
  audit: { succeeded: "works", detail: { change: "install the guard of the metadata route" } },
  endOf: endOfGuarding,
});
