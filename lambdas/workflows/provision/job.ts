import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Pool } from "../../configuration.ts";
import type { Action, Observation } from "../../desired/plan.ts";
import { Refused } from "../../errors.ts";
import { machineLeaves } from "../../messages/provision/failures.ts";
import { ownerOf } from "../../node-work.ts";
import type { Stage } from "../../records.ts";
import { endOf, isDown, type Machine } from "../../steps/ec2/instances.ts";
import type { Image } from "../../steps/ec2/launch-request.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { NodeChange } from "../../steps/ledger/ledger.ts";
import type { JoinToken } from "../../steps/machine/join-secret.ts";
import type { Runtime } from "../../steps/runtime.ts";
import type { Steps } from "../../steps/steps.ts";
import { applyPlan } from "../engine/apply-plan.ts";
import {
  Cancelled,
  DeadlineExceeded,
  MachineEnded,
  MINUTE,
  type Poll,
  StageFailed,
  step,
  until,
  untilTime,
  type WaitOptions,
} from "../engine/durable.ts";
import { runScript } from "../engine/run-script.ts";
import { notifyProgress } from "../operation/progress.ts";
import { cancelledBy } from "../operation/requester.ts";

/** Payload that starts one node's execution. */
export interface ProvisionStart {
  readonly operation: string;
  readonly index: number;
  readonly pool: string;
  readonly image: Image;
  readonly runtimeVersion: string;
}

/** A node on its way: what it was started with, what stages found out, and the bounds of the present stage. */
export interface Job {
  readonly ctx: DurableContext;
  readonly steps: Steps;
  readonly start: ProvisionStart;
  readonly runtime: Runtime;
  readonly pool: Pool;
  /** Owner of lease and place, as `ownerOf` names it. */
  readonly owner: string;
  stage: Stage;
  bounds: WaitOptions;
  machine: Machine | null;
  lease: Lease | null;
  node: { readonly name: string; readonly uid: string } | null;
  /** PEM of the authorities that its kubelet is to trust; empty before the stage that reads them. */
  kubeletClients: string;
  /** The join tokens that the machine was given, oldest first. */
  tokens: readonly JoinToken[];
}

/** Once the start-up taint comes off there is no way back: the node is finished, then the operation stops. */
const POINT_OF_NO_RETURN: ReadonlySet<Stage> = new Set(["admit"]);

/** Writes into the node's record, and says so to whoever tells people about it. */
export async function record({ steps, start: { operation, index } }: Job, change: NodeChange): Promise<void> {
  await steps.ledger.changeNode(operation, index, change);
  await notifyProgress(steps, operation);
}

/**
 * Says in the thread what one operation's nodes have not said yet, as long as this node has said less than `most`.
 * @returns what is new and was said
 */
export async function remark(job: Job, notes: readonly string[], most = MOST_NOTES): Promise<readonly string[]> {
  const nodes = await job.steps.ledger.nodes(job.start.operation);
  const known = nodes.find(({ index }) => index === job.start.index)?.notes ?? [];
  // What does not fit is not new either: it would be new again at each look, and people would be called each time.
  const fresh = notes
    .filter((one) => !nodes.some((node) => node.notes.includes(one)))
    .slice(0, Math.max(0, most - known.length));
  if (fresh.length > 0) await record(job, { notes: [...known, ...fresh] });
  return fresh;
}

/** Notes of one node: each is a message in the thread. */
const MOST_NOTES = 20;

/** WaitOptions that nobody can cancel: for putting things back. */
export const uncancellable = (job: Job, untilMs: number): WaitOptions => ({
  ...untilTime(untilMs, job.steps.now),
  onPending: async (waitsFor, isNew) => {
    if (isNew) await record(job, { waitsFor });
  },
});

/**
 * The same bounds, for a wait on the machine: it ends when the instance has. If EC2 is unreachable, the wait continues
 * without its state.
 */
export const onMachine = (job: Job, bounds: WaitOptions): WaitOptions => ({
  ...bounds,
  endOfMachine: async () => {
    if (!job.lease) return null;
    const seen = await job.steps.instances.describe(job.lease.instanceId).catch(() => undefined);
    return seen && isDown(seen) ? endOf(seen) : null;
  },
});

const cancellable = (job: Job, untilMs: number): WaitOptions => ({
  ...uncancellable(job, untilMs),
  cancelledBy: () => cancelledBy(job.steps, job.start.operation),
});

/**
 * Is there an operation that asks for this node? One that has begun was judged: by the policy, and by what Slack says of
 * its asker.
 * @throws Refused when there is none, so that nobody launches machines who may only call this function
 */
async function checkOrder(steps: Steps, { operation: id, index, pool }: ProvisionStart): Promise<void> {
  const operation = await steps.ledger.operation(id);
  const request = operation?.request;
  const isAsked = request?.command === "add" && request.pool === pool && index < request.count && !request.dryRun;
  const isUnderWay = operation?.endedAt === null && operation.executionArn !== null;
  if (!isAsked || !isUnderWay) throw new Refused(`no operation under way asks for node ${index + 1} of ${id}`);
}

/** Reads what the node is to become, and tells the ledger which execution looks after it. */
export async function beginJob(ctx: DurableContext, steps: Steps, start: ProvisionStart): Promise<Job> {
  const runtime = await step(ctx, "begin", async () => {
    await checkOrder(steps, start);
    await steps.ledger.changeNode(start.operation, start.index, {
      executionArn: ctx.executionContext.durableExecutionArn,
    });
    return steps.runtime.read(start.runtimeVersion);
  });
  const pool = runtime.configuration.pools[start.pool];
  if (!pool) throw new Error(`the runtime document ${start.runtimeVersion} has no pool ${start.pool}`);
  const job: Job = {
    ctx,
    steps,
    start,
    runtime,
    pool,
    owner: ownerOf(start),
    stage: "launch",
    bounds: untilTime(0, steps.now),
    machine: null,
    lease: null,
    node: null,
    kubeletClients: "",
    tokens: [],
  };
  return job;
}

/**
 * Goes on to a stage: its deadline starts, the record shows it, and so does an Event on the Node if there is one.
 * @throws Cancelled when somebody cancelled meanwhile
 */
export async function enter(job: Job, stage: Stage): Promise<void> {
  const minutes = job.runtime.configuration.deadlines[stage as keyof Job["runtime"]["configuration"]["deadlines"]];
  const entered = await step(job.ctx, `enter ${stage}`, async () => {
    const by = POINT_OF_NO_RETURN.has(stage) ? null : await cancelledBy(job.steps, job.start.operation);
    if (by !== null) return { cancelledBy: by, until: 0 };
    await record(job, { status: "running", stage, stageSince: job.steps.timestamp(), waitsFor: null });
    if (job.node)
      await job.steps.nodes.announce(
        job.node,
        "Normal",
        "CasementProvisioning",
        `stage ${stage} of ${job.start.operation}`,
      );
    return { cancelledBy: null, until: job.steps.now() + minutes * MINUTE };
  });
  if (entered.cancelledBy !== null) throw new Cancelled(entered.cancelledBy);
  job.stage = stage;
  const boundsOf = POINT_OF_NO_RETURN.has(stage) ? uncancellable : cancellable;
  job.bounds = onMachine(job, boundsOf(job, entered.until));
}

/** Waits within the stage's deadline. */
export const waitFor = <T>(job: Job, name: string, look: () => Promise<Poll<T>>): Promise<T> =>
  until(job.ctx, name, job.bounds, look);

/** One retried step of the stage. */
export const once = <T>(job: Job, name: string, work: () => Promise<T>): Promise<T> => step(job.ctx, name, work);

/** The instance, once it was launched. */
export const machineOf = (job: Job): Machine => {
  if (!job.machine) throw new StageFailed(machineLeaves.nothingLaunched);
  return job.machine;
};

/** The lease on it. */
export const leaseOf = (job: Job): Lease => {
  if (!job.lease) throw new StageFailed("the lease on the instance was not taken");
  return job.lease;
};

/** Changes the machine within the stage's deadline. */
export const apply = (job: Job, name: string, actions: readonly Action[], bounds = job.bounds) =>
  applyPlan(job.ctx, job.steps, leaseOf(job), name, actions, bounds);

/** A look that the agent lost is taken again: right after a boot its worker may start before the metadata route is back. */
const LOOKS = 4;
const LOOK_AGAIN_SECONDS = 20;

/** A command whose result was lost, as opposed to one that nobody has time to wait for, or whose machine is gone. */
export const mayBeLost = (error: unknown): error is StageFailed =>
  error instanceof StageFailed && !(error instanceof DeadlineExceeded) && !(error instanceof MachineEnded);

/**
 * Looks at the machine through its own eyes.
 * @throws StageFailed when it cannot look at all; Cancelled
 */
export async function observe(job: Job, name: string): Promise<Observation> {
  for (let look = 1; ; look += 1) {
    try {
      return await observeOnce(job, look === 1 ? name : `${name}, look ${look}`);
    } catch (error) {
      if (!mayBeLost(error) || look === LOOKS) throw error;
      await job.ctx.wait(`before ${name}, look ${look + 1}`, { seconds: LOOK_AGAIN_SECONDS });
    }
  }
}

async function observeOnce(job: Job, name: string): Promise<Observation> {
  const order = { script: "observe", request: {} } as const;
  const seen = await runScript<Observation>(job.ctx, job.steps, leaseOf(job), name, order, job.bounds);
  if (!seen.ok)
    throw new StageFailed(`observe.ps1 could not look at the machine: ${seen.error ?? "it does not say why"}`);
  return seen;
}

/** Gives back everything that bounds others: the lease, the place, and the secret if it is still there. */
export async function releaseAll(job: Job): Promise<void> {
  const { lease, machine } = job;
  await once(job, "let go", async () => {
    await job.steps.places.giveBack(job.owner);
    if (machine) await job.steps.joinSecret.remove(machine.instanceId);
    if (lease) await job.steps.leases.release(lease);
  });
}
