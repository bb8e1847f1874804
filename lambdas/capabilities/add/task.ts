import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { type NodeTask, newNodeTask, once } from "../../change/node/task.ts";
import type { Pool } from "../../configuration/configuration.ts";
import { StageFailed, step } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import { machineLeaves } from "../../messages/provision/machine-outcome.ts";
import { profileOf } from "../../profiles/list.ts";
import type { Profile } from "../../profiles/profile.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Image } from "../../steps/ec2/launch-request.ts";
import type { JoinToken } from "../../steps/machine/join-secret.ts";
import type { Steps } from "../../steps/steps.ts";

/** Payload that starts one node's execution. */
export interface ProvisionStart {
  readonly operation: string;
  readonly index: number;
  readonly pool: string;
  readonly image: Image;
  readonly runtimeVersion: string;
}

/** A node that is being provisioned: its start, and the facts that its stages found out. */
export interface ProvisionTask extends NodeTask {
  readonly start: ProvisionStart;
  readonly pool: Pool;
  readonly profile: Profile;
  /** Id of its instance from the launch on, before its lease is taken. */
  launched: string | null;
  machine: Machine | null;
  /** PEM of the authorities that its kubelet trusts; empty before the stage that reads them. */
  kubeletClients: string;
  /** Join tokens that the machine got, oldest first. */
  tokens: readonly JoinToken[];
}

/**
 * Checks that a running operation requests this node. A running operation has passed the policy, and Slack has
 * confirmed its requester.
 * @throws Refused if there is none, so that the right to invoke this function is not enough to launch a machine
 */
async function checkOrder(steps: Steps, { operation: id, index, pool }: ProvisionStart): Promise<void> {
  const operation = await steps.ledger.operation(id);
  const request = operation?.request;
  const isAsked = request?.command === "add" && request.pool === pool && index < request.count && !request.dryRun;
  const isUnderWay = operation?.endedAt === null && operation.executionArn !== null;
  if (!isAsked || !isUnderWay) throw new Refused(`no running operation requests node ${index + 1} of ${id}`);
}

/** Reads the node's configuration, and records in the ledger which execution works on it. */
export async function newProvisionTask(
  ctx: DurableContext,
  steps: Steps,
  start: ProvisionStart,
): Promise<ProvisionTask> {
  const { operation, index } = start;
  const runtime = await step(ctx, "begin", async () => {
    await checkOrder(steps, start);
    await steps.ledger.changeNode(operation, index, { executionArn: ctx.executionContext.durableExecutionArn });
    return steps.runtime.read(start.runtimeVersion);
  });
  const pool = runtime.configuration.pools[start.pool];
  if (!pool) throw new Error(`the release document ${start.runtimeVersion} has no pool ${start.pool}`);
  const profile = profileOf(runtime.configuration);
  const workflow = "provision";
  const eventReason = "CasementProvisioning";
  const assignment = { ctx, steps, workflow, operation, index, runtime, eventReason, needsMachine: true } as const;
  return {
    ...newNodeTask(assignment, "launch"),
    start,
    pool,
    profile,
    launched: null,
    machine: null,
    kubeletClients: "",
    tokens: [],
  };
}

/** Instance of the node. @throws StageFailed before it was launched */
export const machineOf = ({ machine }: ProvisionTask): Machine => {
  if (!machine) throw new StageFailed("unexpected", machineLeaves.nothingLaunched);
  return machine;
};

/** Name of its Node. @throws StageFailed before the instance was launched */
export const nodeNameOf = (task: ProvisionTask): string => task.profile.nodeName(machineOf(task));

/**
 * Releases slot and lease, then deletes the join secret if it still exists. Slot and lease block others, so they have a
 * step of their own: Secrets Manager may be unavailable, and the sweep skips the lease of an ended node.
 */
export async function releaseAll(task: ProvisionTask): Promise<void> {
  const { steps, lease, machine, owner } = task;
  await once(task, "release the lease", async () => {
    await steps.joinSlots.giveBack(owner);
    if (lease) await steps.leases.release(lease);
  });
  if (machine)
    await once(task, "delete what is left of the join secret", () => steps.joinSecret.remove(machine.instanceId));
}
