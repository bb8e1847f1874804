import {
  doneByOthers,
  kubeletIs,
  machineEndedBy,
  machineLeaves,
  machineOutcome,
  UNREADABLE,
} from "../../messages/provision/failures.ts";
import { stopKubeletActions } from "../../profiles/okd/plans.ts";
import { provisionStages } from "../../records.ts";
import { endOf, hasEnded, isDown, wasGivenUp } from "../../steps/ec2/instances.ts";
import { Cancelled, causeOf, MINUTE } from "../engine/durable.ts";
import { cleanUpInstance } from "./clean-up-instance.ts";
import { awaitDecision, type Decision } from "./decision.ts";
import { apply, type Job, once, onMachine, record, uncancellable } from "./job.ts";

/**
 * Puts a node's failure or cancellation in order: the kubelet is stopped first so that nothing half done stays in the
 * cluster; then a cancelled machine is taken away, and somebody is asked what becomes of a failed one.
 */
export async function handleFailure(job: Job, error: unknown): Promise<void> {
  const cause = causeOf(error);
  const seen = await surroundings(job);
  const kubelet = await kubeletNow(job, seen);
  if (cause instanceof Cancelled)
    return cleanUpInstance(job, { status: "cancelled", by: machineEndedBy.cancellation(cause.message) });
  const why = [...new Set([...seen.findings, cause.message])].join("; ");
  if (seen.isGone) {
    const by = seen.isGivenUp ? doneByOthers.givenUp : doneByOthers.terminated;
    return cleanUpInstance(job, { status: "failed", by, failure: { stage: job.stage, why, left: machineLeaves.gone } });
  }
  if (!job.lease) return failWithoutInstance(job, why);
  // A machine that waits for a person is not on its way any more: twenty of them must not hold up every other add.
  await once(job, "give back the place", () => job.steps.places.giveBack(job.owner));
  const left = machineLeaves.standing(job.lease.instanceId, seen.state, kubelet);
  return carryOut(job, await awaitDecision(job, why, left));
}

/** Stops the kubelet if there may be one. @returns how it stands, one of `kubeletIs` */
function kubeletNow(job: Job, seen: Surroundings): Promise<string> | string {
  if (seen.isGone) return kubeletIs.gone;
  return isDown(seen) ? kubeletIs.off : stopKubelet(job);
}

/** State of the world when a stage has failed: an act of others is the cause, and the rest followed from it. */
interface Surroundings {
  readonly isGone: boolean;
  /** It is gone because EC2 could not keep it. */
  readonly isGivenUp: boolean;
  /** EC2's word for the instance. */
  readonly state: string;
  /** Acts of others, in words. */
  readonly findings: readonly string[];
}

/** Looks at the surroundings; nothing is known when no answer comes for minutes, and people decide all the same. */
async function surroundings(job: Job): Promise<Surroundings> {
  try {
    return await once(job, "look what became of it", () => lookAround(job));
  } catch {
    return { isGone: false, isGivenUp: false, state: UNREADABLE, findings: [] };
  }
}

async function lookAround({ steps, lease, machine, node }: Job): Promise<Surroundings> {
  if (!lease) return { isGone: false, isGivenUp: false, state: "unknown", findings: [] };
  const seen = await steps.instances.describe(lease.instanceId);
  if (seen && hasEnded(seen))
    return { isGone: true, isGivenUp: wasGivenUp(seen), state: seen.state, findings: [endOf(seen)] };
  const uid = node && machine ? (await steps.nodes.read(machine.privateDnsName))?.metadata?.uid : undefined;
  return {
    isGone: false,
    isGivenUp: false,
    state: seen?.state ?? "unknown",
    findings: uid === node?.uid ? [] : [doneByOthers.nodeDeleted],
  };
}

/** `configure` starts it. */
const KUBELET_MAY_RUN: ReadonlySet<string> = new Set(provisionStages.slice(provisionStages.indexOf("configure")));

/** For one small plan on a machine that answers (assumed). */
const STOPPED_WITHIN_MS = 4 * MINUTE;

/**
 * Best effort: a machine whose agent is silent cannot be asked, and then its kubelet is not to be reached either.
 * @returns how the kubelet stands, one of `kubeletIs`
 */
async function stopKubelet(job: Job): Promise<string> {
  if (!job.lease || !job.machine || !KUBELET_MAY_RUN.has(job.stage)) return kubeletIs.neverStarted;
  const { until } = await once(job, "begin to stop the kubelet", async () => ({
    until: job.steps.now() + STOPPED_WITHIN_MS,
  }));
  try {
    await apply(job, "stop the kubelet", stopKubeletActions(), onMachine(job, uncancellable(job, until)));
    return kubeletIs.stopped;
  } catch (error) {
    return kubeletIs.notStopped(causeOf(error).message);
  }
}

const failWithoutInstance = (job: Job, why: string): Promise<void> =>
  once(job, "failed", () => {
    const left = machineLeaves.nothingLaunched;
    const failure = { stage: job.stage, why, left };
    return record(job, { status: "failed", failure, waitsFor: null, endedAt: job.steps.timestamp(), outcome: left });
  });

function carryOut(job: Job, decided: Decision): Promise<void> {
  switch (decided.decision) {
    case "time":
      return cleanUpInstance(job, { status: "failed", by: machineEndedBy.deadline });
    case "gone":
      return cleanUpInstance(job, { status: "failed", by: doneByOthers.terminated });
    case "unjudged":
      return keep(job, machineOutcome.keptUnjudged(decided.userId));
    case "keep":
      return keep(job, machineOutcome.kept(decided.userId));
    case "terminate":
      return cleanUpInstance(job, { status: "failed", by: machineEndedBy.decision(decided.userId) });
    case "cancel":
      return cleanUpInstance(job, { status: "cancelled", by: machineEndedBy.decision(decided.userId) });
  }
}

const keep = (job: Job, outcome: string): Promise<void> =>
  once(job, "keep the machine", () =>
    record(job, {
      status: "failed",
      callbacks: {},
      decideBy: null,
      endedAt: job.steps.timestamp(),
      outcome,
    }),
  );
