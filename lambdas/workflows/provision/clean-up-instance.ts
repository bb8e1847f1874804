import { inUse, machineOutcome } from "../../messages/provision/failures.ts";
import type { Failure, NodeRecord, NodeStatus } from "../../records.ts";
import { podsToEvict } from "../../steps/cluster/evictions.ts";
import { isReady } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import { causeOf, DeadlineExceeded, done, MINUTE, type Poll, pending, StageFailed, until } from "../engine/durable.ts";
import { type Job, once, record, uncancellable } from "./job.ts";

/** End of a node that was not taken into the cluster. */
export interface End {
  readonly status: Extract<NodeStatus, "failed" | "cancelled">;
  /** Cause of the end, one of `machineEndedBy` or `doneByOthers`. */
  readonly by: string;
  /** Failure that the record does not have yet, where nobody was asked about it. */
  readonly failure?: Failure;
}

/** Terminates the machine of a node that came to nothing, and deletes its Node; one that serves the cluster is kept. */
export async function cleanUpInstance(job: Job, end: End): Promise<void> {
  const { lease } = job;
  if (!lease) return finish(job, "nothing to take away", end, { outcome: machineOutcome.nothingLaunched(end.by) });
  const reason = await reasonToSpare(job);
  if (reason !== null) return finish(job, "spare the machine", end, { outcome: machineOutcome.spared(reason) });
  const isTerminated = await terminate(job, lease);
  await once(job, "delete the Node", () => deleteNode(job));
  await finish(job, "taken away", end, isTerminated ? terminated(end) : notYetTerminated(end, lease));
}

/** Fate of the machine, as its record says it. */
type Outcome = Pick<NodeRecord, "outcome" | "isTerminated">;

const terminated = ({ status, by }: End): Outcome => ({
  outcome: status === "cancelled" ? machineOutcome.cancelled(by) : by,
  isTerminated: true,
});

const notYetTerminated = ({ by }: End, { instanceId }: Lease): Outcome => ({
  outcome: machineOutcome.notYetTerminated(by, instanceId),
});

const finish = (job: Job, name: string, { status, failure }: End, outcome: Outcome): Promise<void> =>
  once(job, name, () =>
    record(job, {
      status,
      callbacks: {},
      decideBy: null,
      waitsFor: null,
      ...(failure ? { failure } : {}),
      endedAt: job.steps.timestamp(),
      ...outcome,
    }),
  );

/** The cluster notices within a minute that a kubelet was stopped (assumed threefold); until then its Node looks Ready. */
const NOTICED_WITHIN_MS = 3 * MINUTE;

/** Reason not to terminate the machine: its Node is Ready or runs pods, or nobody can say. Null when it may. */
async function reasonToSpare(job: Job): Promise<string | null> {
  const { until: patience } = await once(job, "before taking the machine away", async () => ({
    until: job.steps.now() + NOTICED_WITHIN_MS,
  }));
  try {
    return await until(job.ctx, "the Node is not Ready any more", uncancellable(job, patience), async () => {
      const use = await useOf(job);
      return use === null ? done(null) : pending(use);
    });
  } catch (error) {
    return error instanceof DeadlineExceeded ? error.pendingReason : causeOf(error).message;
  }
}

async function useOf(job: Job): Promise<string | null> {
  const node = await nodeOf(job);
  const name = node?.metadata?.name;
  if (!node || !name) return null;
  if (isReady(node)) return inUse.ready(name);
  const pods = podsToEvict(await job.steps.nodes.podsOn(name));
  return pods.length > 0 ? inUse.runsPods(name, pods.length) : null;
}

/** @returns whether EC2 shows within the deadline that the instance is gone */
async function terminate(job: Job, lease: Lease): Promise<boolean> {
  // Nobody is asked any more: a click from now on is too late.
  await once(job, "nobody is asked any more", () => record(job, { callbacks: {}, decideBy: null }));
  try {
    await within(job, "terminate the instance", async () => done(await job.steps.instances.terminate(lease)));
    return await isTerminated(job, lease.instanceId);
  } catch (error) {
    if (error instanceof StageFailed) return false;
    throw error;
  }
}

/** EC2 may not show yet what was launched a moment ago: only after this time an instance that is not there is gone. */
const SHOWS_WITHIN_MS = MINUTE;

const isTerminated = (job: Job, instanceId: string): Promise<true> =>
  within(job, "the instance is terminated", async (since) => {
    const state = (await job.steps.instances.describe(instanceId))?.state;
    const isForgotten = state === undefined && job.steps.now() >= since + SHOWS_WITHIN_MS;
    return state === "terminated" || isForgotten ? done(true) : pending(`EC2 to terminate ${instanceId}`);
  });

/** Waits within the deadline of a termination, also while EC2 does not answer. */
async function within<T>(job: Job, name: string, look: (since: number) => Promise<Poll<T>>): Promise<T> {
  const since = await once(job, `before: ${name}`, async () => job.steps.now());
  const bounds = uncancellable(job, since + job.runtime.configuration.deadlines.terminate * MINUTE);
  return until(job.ctx, name, bounds, () => look(since));
}

async function deleteNode(job: Job): Promise<void> {
  const { name, uid } = (await nodeOf(job))?.metadata ?? {};
  if (name && uid) await job.steps.nodes.remove(name, uid);
}

/** The Node of the machine, whoever made it. */
const nodeOf = async ({ machine, steps }: Job): Promise<Node | undefined> =>
  machine ? steps.nodes.read(machine.privateDnsName) : undefined;
