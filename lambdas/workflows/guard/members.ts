import { Refused } from "../../errors.ts";
import type { FailureReason } from "../../failures.ts";
import { nodeIsGone } from "../../messages/node/cordon.ts";
import { guardedWithoutNode, guardLeaves } from "../../messages/node/guard.ts";
import { ownerOf } from "../../node-work.ts";
import { newNodeRecord } from "../../records.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { Steps } from "../../steps/steps.ts";
import type { Target } from "./targets.ts";

/** A machine whose lease this operation holds. */
export interface Member {
  readonly index: number;
  readonly name: string;
  readonly uid: string;
  readonly instanceId: string;
  readonly lease: Lease;
}

/** Result of one machine. */
export type Outcome =
  | { readonly state: "works" }
  /** It was not touched, because the operation was cancelled or the machine may not be changed. */
  | ({ readonly state: "untouched" | "cancelled" | "failed" } & FailureReason);

/** Takes a machine's lease. @returns the reason why not, where another operation holds it */
async function lease(steps: Steps, instanceId: string, owner: string): Promise<Lease | string> {
  try {
    return await steps.leases.take(instanceId, owner);
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
}

/**
 * Writes down the nodes and takes the leases of their machines; what may not be changed is settled at once. Belongs into a step.
 * @returns the machines that this operation holds
 */
export async function claim(steps: Steps, operation: string, targets: readonly Target[]): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const [index, { name, uid, instanceId, refusal }] of targets.entries()) {
    const blank = newNodeRecord("guarding", operation, index, steps.timestamp());
    // The record comes first: by it the sweep finds the lease of an execution that was lost.
    await steps.ledger.recordNode({ ...blank, status: "running", stage: "guard", instanceId, nodeName: name });
    const held =
      refusal === null && instanceId !== null
        ? await lease(steps, instanceId, ownerOf({ operation, index }))
        : (refusal ?? "it has no EC2 instance");
    if (typeof held === "string") await end(steps, operation, index, { state: "untouched", why: held });
    else members.push({ index, name, uid, instanceId: held.instanceId, lease: held });
  }
  return members;
}

/**
 * Finds the machines whose Nodes were deleted while they were worked on. Belongs into a step.
 * @returns their instance ids; none while the cluster does not answer, which the machines do not need
 */
export async function goneSince(steps: Steps, members: readonly Member[]): Promise<readonly string[]> {
  try {
    const uids = new Set((await steps.nodes.all()).map(({ metadata }) => metadata?.uid));
    return members.flatMap(({ uid, instanceId }) => (uids.has(uid) ? [] : [instanceId]));
  } catch (error) {
    if (isBusy(error)) return [];
    throw error;
  }
}

/** Writes down the end of one node's work. */
async function end(steps: Steps, operation: string, index: number, outcome: Outcome, isGone = false): Promise<void> {
  const ended = { endedAt: steps.timestamp(), waitsFor: null };
  if (outcome.state === "works") {
    const gone = isGone ? { outcome: guardedWithoutNode } : {};
    return steps.ledger.changeNode(operation, index, { status: "succeeded", ...gone, ...ended });
  }
  const { state, ...reason } = outcome;
  const changed = state === "failed" ? guardLeaves.perhaps : guardLeaves.untouched;
  const left = isGone ? `${changed}; ${nodeIsGone}` : changed;
  const status = state === "cancelled" ? "cancelled" : "failed";
  const failure = state === "cancelled" ? null : ({ stage: "guard", ...reason, left } as const);
  return steps.ledger.changeNode(operation, index, { status, failure, ...ended });
}

/**
 * Gives a machine's lease back and writes its result down. Belongs into a step.
 * @param isGone its Node was deleted meanwhile
 */
export async function settle(
  steps: Steps,
  operation: string,
  member: Member,
  outcome: Outcome,
  isGone: boolean,
): Promise<void> {
  const { index, name, instanceId } = member;
  await steps.audit.append({ operation }, `node ${index} ${outcome.state}`, {
    what: "changed",
    node: { name, instanceId },
    detail: { change: "install the guard of the metadata route", outcome: outcome.state },
  });
  await steps.leases.release(member.lease);
  await end(steps, operation, index, outcome, isGone);
}

/** Settles every machine that an error has left, so that no lease waits for the sweep. Belongs into a step. */
export async function settleLeft(steps: Steps, operation: string, reason: FailureReason): Promise<void> {
  for (const { index, instanceId, endedAt } of await steps.ledger.nodes(operation)) {
    if (instanceId) await steps.leases.releaseOwned(instanceId, ownerOf({ operation, index }));
    if (endedAt === null) await end(steps, operation, index, { state: "failed", ...reason });
  }
}
