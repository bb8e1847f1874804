import { once, record, uncancellable } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import {
  causeOf,
  DeadlineExceeded,
  done,
  MINUTE,
  type Poll,
  pending,
  StageFailed,
  until,
} from "../../engine/durable.ts";
import { inUse, machineLeaves, machineOutcome } from "../../messages/provision/machine-outcome.ts";
import type { Failure } from "../../records/failures.ts";
import type { NodeRecord, NodeStatus } from "../../records/records.ts";
import { isReady } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { podsToEvict } from "../../steps/drain/pods.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { ProvisionTask } from "./task.ts";

/** End of a node that did not join the cluster. */
export interface InstanceEnd {
  readonly status: Extract<NodeStatus, "failed" | "cancelled">;
  /** Cause of the end, one of `machineEndedBy` or `doneByOthers`. */
  readonly by: string;
  /** Failure to record; undefined if the question to a person has recorded it. */
  readonly failure?: Failure;
}

/**
 * Terminates the machine of a node that did not join, and deletes its Node. A machine that serves the cluster is kept.
 */
export async function cleanUpInstance(task: ProvisionTask, end: InstanceEnd): Promise<void> {
  const { lease } = task;
  if (!lease) return finish(task, "nothing to take away", end, leftBy(task, end.by));
  const reason = await reasonToSpare(task);
  if (reason !== null) return finish(task, "spare the machine", end, { outcome: machineOutcome.spared(reason) });
  const isTerminated = await terminate(task, lease);
  await once(task, "delete the Node", () => deleteNode(task));
  await finish(task, "taken away", end, isTerminated ? terminated(end) : notYetTerminated(end, lease));
}

/** Fields of the record that say how the machine ended, or that it is kept. */
type Outcome = Pick<NodeRecord, "outcome" | "isTerminated" | "keptAt"> & { readonly instanceId?: string };

/**
 * Describes what a node without a lease leaves. An instance that was launched nevertheless is kept: reminders name it.
 * @param by cause of the end; null if the record has it as its failure
 */
export function leftBy({ launched, steps }: ProvisionTask, by: string | null): Outcome & { readonly outcome: string } {
  const left = machineLeaves.untouched(launched);
  const outcome = by === null ? left : `${by}; ${left}`;
  return launched === null ? { outcome } : { outcome, instanceId: launched, keptAt: steps.timestamp() };
}

const terminated = ({ status, by }: InstanceEnd): Outcome => ({
  outcome: status === "cancelled" ? machineOutcome.cancelled(by) : by,
  isTerminated: true,
});

const notYetTerminated = ({ by }: InstanceEnd, { instanceId }: Lease): Outcome => ({
  outcome: machineOutcome.notYetTerminated(by, instanceId),
});

const finish = (task: ProvisionTask, name: string, { status, failure }: InstanceEnd, outcome: Outcome): Promise<void> =>
  once(task, name, () =>
    record(task, {
      status,
      callbacks: {},
      decideBy: null,
      waitsFor: null,
      ...(failure ? { failure } : {}),
      endedAt: task.steps.timestamp(),
      ...outcome,
    }),
  );

/** The cluster notices a stopped kubelet within a minute; we wait three times that. Until then its Node looks Ready. */
const NOTICED_WITHIN_MS = 3 * MINUTE;

/**
 * Finds a reason to keep the machine: its Node is Ready or runs pods, or its state is unknown.
 * @returns null when it may be terminated
 */
async function reasonToSpare(task: ProvisionTask): Promise<string | null> {
  const { until: patience } = await once(task, "before taking the machine away", async () => ({
    until: task.steps.now() + NOTICED_WITHIN_MS,
  }));
  try {
    return await until(task.ctx, "the Node is not Ready any more", uncancellable(task, patience), async () => {
      const use = await useOf(task);
      return use === null ? done(null) : pending(use);
    });
  } catch (error) {
    return error instanceof DeadlineExceeded ? error.pendingReason : causeOf(error).message;
  }
}

async function useOf(task: ProvisionTask): Promise<string | null> {
  const node = await nodeOf(task);
  const name = node?.metadata?.name;
  if (!node || !name) return null;
  if (isReady(node)) return inUse.ready(name);
  const pods = podsToEvict(await task.steps.nodes.podsOn(name));
  return pods.length > 0 ? inUse.runsPods(name, pods.length) : null;
}

/** @returns whether EC2 shows within the deadline that the instance is gone */
async function terminate(task: ProvisionTask, lease: Lease): Promise<boolean> {
  // Close the question: a later click has no effect.
  await once(task, "close the question", () => record(task, { callbacks: {}, decideBy: null }));
  try {
    await within(task, "terminate the instance", async () => {
      await task.steps.instances.terminate(lease);
      await auditNode(task, "terminate", { what: "changed", detail: { change: "terminate the instance" } });
      return done(true);
    });
    return await isTerminated(task, lease.instanceId);
  } catch (error) {
    if (error instanceof StageFailed) return false;
    throw error;
  }
}

/** EC2 may not show a new instance yet. After this time, an instance that EC2 does not know no longer exists. */
const SHOWS_WITHIN_MS = MINUTE;

const isTerminated = (task: ProvisionTask, instanceId: string): Promise<true> =>
  within(task, "the instance is terminated", async (since) => {
    const state = (await task.steps.instances.describe(instanceId))?.state;
    const isForgotten = state === undefined && task.steps.now() >= since + SHOWS_WITHIN_MS;
    return state === "terminated" || isForgotten ? done(true) : pending(`EC2 to terminate ${instanceId}`);
  });

/** Waits until the deadline of a termination, also while EC2 does not answer. */
async function within<T>(task: ProvisionTask, name: string, poll: (since: number) => Promise<Poll<T>>): Promise<T> {
  const since = await once(task, `before: ${name}`, async () => task.steps.now());
  const bounds = uncancellable(task, since + task.runtime.configuration.deadlines.provision.terminate * MINUTE);
  return until(task.ctx, name, bounds, () => poll(since));
}

async function deleteNode(task: ProvisionTask): Promise<void> {
  const { name, uid } = (await nodeOf(task))?.metadata ?? {};
  if (name && uid) await task.steps.nodes.remove(name, uid);
}

/** Reads the machine's Node, whoever created it. */
const nodeOf = async ({ machine, steps, profile }: ProvisionTask): Promise<Node | undefined> =>
  machine ? steps.nodes.read(profile.nodeName(machine)) : undefined;
