import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { type Bundle, sha256 } from "../../desired/authorities.ts";
import { kubeletClientsIn } from "../../desired/machine-record.ts";
import { KUBELET_CLIENTS } from "../../desired/node-keys.ts";
import type { FileAction, Plan } from "../../desired/plan.ts";
import { Refused } from "../../errors.ts";
import { ownerOf } from "../../node-work.ts";
import { newNodeRecord } from "../../records.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { Steps } from "../../steps/steps.ts";
import { readApplied } from "../engine/apply-plan.ts";
import { causeOf, done, MINUTE, pending, step, until, untilTime } from "../engine/durable.ts";
import type { FleetOutcome } from "../engine/fleet-batch.ts";
import { sendToFleet } from "../engine/run-fleet.ts";
import type { DueNode } from "./due.ts";

/** A node that this operation holds the lease of. */
export interface Member extends DueNode {
  readonly index: number;
  readonly lease: Lease;
}

/** The operation that gives nodes one bundle. */
export interface Change {
  readonly ctx: DurableContext;
  readonly steps: Steps;
  readonly operation: string;
  readonly bundle: Bundle;
  readonly file: FileAction;
  readonly cancelledBy: () => Promise<string | null>;
}

/** Minutes that a batch of machines may take to write one file. */
const CHANGE_MINUTES = 10;

/** Minutes after which no machine may begin any more, however many batches there are. */
const PLAN_MINUTES = 60;

/** Leases a node and writes that it is worked on; null while another operation holds it. */
export async function claimNode(steps: Steps, operation: string, index: number, node: DueNode): Promise<Member | null> {
  const { workflow: _, ...blank } = newNodeRecord("provision", operation, index, steps.timestamp());
  const { instanceId, name } = node;
  try {
    // The record comes first: by it the sweep finds the lease of an execution that was lost.
    await steps.ledger.recordNode({ ...blank, status: "running", instanceId, nodeName: name });
    const lease = await steps.leases.take(instanceId, ownerOf({ operation, index }));
    return { ...node, index, lease };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await endNode(steps, operation, index, "cancelled", "another operation works on it; the next tick takes it");
    return null;
  }
}

/** Writes down the end of one node's work. */
export const endNode = (
  steps: Steps,
  operation: string,
  index: number,
  status: "succeeded" | "failed" | "cancelled",
  outcome: string | null,
): Promise<void> =>
  steps.ledger.changeNode(operation, index, { status, outcome, endedAt: steps.timestamp(), waitsFor: null });

/** Writes the file on these nodes, and settles each by its own outcome. */
export async function changeNodes(
  change: Change,
  name: string,
  members: readonly Member[],
): Promise<ReadonlyMap<string, FleetOutcome<boolean>>> {
  const { ctx, steps, operation, file, cancelledBy } = change;
  const request = await step(ctx, `plan: ${name}`, () => {
    const plan: Plan = {
      format: 2,
      operation,
      madeAt: Math.floor(steps.now() / 1000),
      notAfter: Math.floor((steps.now() + PLAN_MINUTES * MINUTE) / 1000),
      actions: [file],
    };
    return steps.machine.requestFor(plan, `plans/${operation}/${name.replaceAll(" ", "-")}.json`);
  });
  const machines = members.map(({ lease }) => ({ lease, request }));
  return sendToFleet(ctx, steps, "apply", machines, {
    owner: operation,
    name,
    minutes: CHANGE_MINUTES,
    cancelledBy,
    read: readApplied,
  });
}

/** Writes down what became of a node, and gives its lease back first: the sweep looks after nodes that have not ended. */
export async function settleNode(
  { steps, operation, bundle }: Pick<Change, "steps" | "operation" | "bundle">,
  { index, instanceId, lease, name }: Member,
  why: string | null,
): Promise<void> {
  if (why === null) {
    await steps.machines.given.record(instanceId, lease.owner, "kubeletClients", kubeletClientsIn(bundle));
    const node = await steps.nodes.read(name);
    if (node) await steps.nodes.annotate(node, { [KUBELET_CLIENTS]: sha256(bundle.pem) });
  }
  const outcome = why === null ? "changed" : "failed";
  await steps.audit.append({ operation }, `node ${index} ${outcome}`, {
    what: "changed",
    node: { name, instanceId },
    detail: { change: "replace the kubelet's client authority", sha256: sha256(bundle.pem), outcome },
  });
  await steps.leases.release(lease);
  await endNode(steps, operation, index, why === null ? "succeeded" : "failed", why);
}

/** Minutes within which a kubelet has read the new file: it polls the file once a minute. */
const PROVE_MINUTES = 5;

/** The proof that there is none: no pod runs on the node whose log could be read. */
const NO_POD = "no pod runs on it";

/**
 * Reads a log on the node, as `kubectl logs` does.
 * @returns null when the kubelet gave it; a remark when no pod runs there
 * @throws StageFailed with the last answer when the kubelet goes on refusing
 */
export async function prove({ ctx, steps }: Change, { name }: Member): Promise<string | null> {
  const deadline = await step(ctx, "deadline of the proof", async () => steps.now() + PROVE_MINUTES * MINUTE);
  const answer = await until(ctx, `a log is read on ${name}`, untilTime(deadline, steps.now), async () => {
    const pods = await steps.nodes.podsOn(name);
    const pod = pods.find(({ status, metadata }) => status?.phase === "Running" && !metadata?.deletionTimestamp);
    if (!pod) return done(NO_POD);
    const refusal = await steps.nodes.logRefusal(pod);
    return refusal === null ? done("") : pending(refusal);
  });
  return answer === NO_POD ? `No pod runs on ${name}, so no log could be read there as a proof.` : null;
}

/** Words of a failure, of whatever kind. */
export const wordsOfFailure = (error: unknown): string => causeOf(error).message;
