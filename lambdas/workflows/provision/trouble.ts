import { stopKubeletOperations } from "../../desired/okd.ts";
import { type Failure, provisionStages } from "../../records.ts";
import { podsToEvict } from "../../steps/evictions.ts";
import { endOf, hasEnded, wasGivenUp } from "../../steps/instances.ts";
import { Cancelled, causeOf, found, StageFailed, still, until } from "../durably.ts";
import { askWhatBecomesOfIt } from "./decision.ts";
import { apply, type Job, once, record, uncancellable } from "./job.ts";

const MINUTE = 60_000;

/**
 * Puts a node's failure or cancellation in order: the kubelet is stopped first so that nothing half done stays in the
 * cluster; then a cancelled machine is taken away, and somebody is asked what becomes of a failed one.
 */
export async function trouble(job: Job, error: unknown): Promise<void> {
  const cause = causeOf(error);
  const seen = await once(job, "look what became of it", () => lookAround(job));
  const stopped = seen.gone ? "its kubelet is gone with it" : await stopKubelet(job);
  if (cause instanceof Cancelled) return takeAway(job, "cancelled", `cancelled by <@${cause.message}>`);
  const why = [...new Set([...seen.findings, cause.message])].join("; ");
  const { machine, stage } = job;
  if (seen.gone) {
    const failure = { stage, why, left: "nothing: the instance is gone" };
    return takeAway(job, "failed", seen.givenUp ? "EC2 gave the instance up" : ENDED_BY_OTHERS, failure);
  }
  if (!machine && !job.lease) {
    const failure = { stage, why, left: "no instance was launched" };
    await once(job, "failed", () =>
      record(job, { status: "failed", failure, waitsFor: null, endedAt: job.steps.timestamp(), outcome: failure.left }),
    );
    return;
  }
  const decision = await askWhatBecomesOfIt(job, why, `instance ${job.lease?.instanceId} is ${seen.state}, ${stopped}`);
  if (decision.decision === "keep") return keep(job, decision.userId);
  const by = decision.userId ? `terminated by <@${decision.userId}>` : "terminated when nobody had decided in time";
  return takeAway(job, decision.decision === "cancel" ? "cancelled" : "failed", by);
}

const ENDED_BY_OTHERS = "the instance was terminated by somebody else";

/** How the world stands when a stage has failed: what somebody else did is the cause, and the rest followed from it. */
interface Surroundings {
  readonly gone: boolean;
  /** It is gone because EC2 could not keep it. */
  readonly givenUp?: boolean;
  /** EC2's word for the instance. */
  readonly state: string;
  readonly findings: readonly string[];
}

async function lookAround({ steps, lease, machine, node }: Job): Promise<Surroundings> {
  if (!lease) return { gone: false, state: "unknown", findings: [] };
  const seen = await steps.instances.describe(lease.instanceId);
  const gone = seen !== undefined && hasEnded(seen);
  const uid = node && machine && !gone ? (await steps.nodes.read(machine.privateDnsName))?.metadata?.uid : node?.uid;
  return {
    gone,
    givenUp: gone && wasGivenUp(seen),
    state: seen?.state ?? "unknown",
    findings: [
      ...(gone ? [endOf(seen)] : []),
      ...(uid === node?.uid ? [] : ["the Node was deleted by somebody else meanwhile"]),
    ],
  };
}

/** Best effort: a machine whose agent is silent cannot be asked, and then its kubelet is not to be reached either. */
async function stopKubelet(job: Job): Promise<string> {
  if (!job.lease || !job.machine || !KUBELET_MAY_RUN.has(job.stage)) return "its kubelet was never started";
  const bounds = await once(job, "begin to stop the kubelet", async () => ({ until: job.steps.now() + 4 * MINUTE }));
  try {
    await apply(job, "stop the kubelet", stopKubeletOperations(), uncancellable(job, bounds.until));
    return "its kubelet is stopped";
  } catch (error) {
    return `its kubelet could not be stopped (${causeOf(error).message.slice(0, 200)})`;
  }
}

/** `configure` starts it. */
const KUBELET_MAY_RUN: ReadonlySet<string> = new Set(provisionStages.slice(provisionStages.indexOf("configure")));

const keep = (job: Job, userId: string | null): Promise<void> =>
  once(job, "keep the machine", () =>
    record(job, {
      status: "failed",
      callbacks: {},
      decideBy: null,
      endedAt: job.steps.timestamp(),
      outcome: `kept for inspection by <@${userId ?? "somebody"}>`,
    }),
  );

/** Never a machine whose Node is Ready or runs pods: then it is kept, and said why. */
async function reasonToSpare(job: Job): Promise<string | null> {
  const name = job.machine?.privateDnsName;
  const node = name ? await job.steps.nodes.read(name) : undefined;
  if (!name || !node) return null;
  const ready = node.status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True");
  if (ready) return `its Node ${name} is Ready`;
  const pods = podsToEvict(await job.steps.nodes.podsOn(name));
  return pods.length > 0 ? `its Node ${name} runs ${pods.length} pods` : null;
}

/** A stopped kubelet is noticed by the cluster within a minute; until then its Node still looks Ready. */
async function spared(job: Job): Promise<string | null> {
  const { until: patience } = await once(job, "before taking the machine away", async () => ({
    until: job.steps.now() + 3 * MINUTE,
  }));
  try {
    return await until(job.ctx, "the Node is not Ready any more", uncancellable(job, patience), async () => {
      const reason = await reasonToSpare(job);
      return reason === null ? found(null) : still(reason);
    });
  } catch (error) {
    return causeOf(error).message.replace("gave up waiting for ", "");
  }
}

async function takeAway(
  job: Job,
  status: "failed" | "cancelled",
  how: string,
  failure: Failure | null = null,
): Promise<void> {
  const { lease } = job;
  if (!lease)
    return once(job, "nothing to take away", () =>
      record(job, {
        status,
        waitsFor: null,
        endedAt: job.steps.timestamp(),
        outcome: `${how}; no instance was launched`,
      }),
    );
  const reason = await spared(job);
  const ended = { status, callbacks: {}, decideBy: null, waitsFor: null, ...(failure ? { failure } : {}) };
  if (reason !== null) {
    const outcome = `kept, because ${reason}: use remove on it`;
    return once(job, "spare the machine", () => record(job, { ...ended, endedAt: job.steps.timestamp(), outcome }));
  }
  await once(job, "terminate the instance", async () => {
    await record(job, { callbacks: {}, decideBy: null });
    await job.steps.instances.terminate(lease);
  });
  const since = await once(job, "the instance is ending", async () => job.steps.now());
  const gone = await terminated(job, lease.instanceId, since);
  await once(job, "delete the Node", () => deleteNode(job));
  const became = status === "cancelled" ? `${how}; the instance is terminated` : how;
  const outcome = gone ? became : `${how}, but EC2 does not show ${lease.instanceId} as terminated yet`;
  await once(job, "taken away", () => record(job, { ...ended, endedAt: job.steps.timestamp(), outcome }));
}

/** EC2 may not show yet what was launched a moment ago: only after this time an instance that is not there is gone. */
const SHOWS_WITHIN_MS = MINUTE;

async function terminated(job: Job, instanceId: string, since: number): Promise<boolean> {
  const { steps, runtime } = job;
  const bounds = uncancellable(job, since + runtime.configuration.deadlines.terminate * MINUTE);
  try {
    return await until(job.ctx, "the instance is terminated", bounds, async () => {
      const state = (await steps.instances.describe(instanceId))?.state;
      const forgotten = state === undefined && steps.now() >= since + SHOWS_WITHIN_MS;
      return state === "terminated" || forgotten ? found(true) : still(`EC2 to terminate ${instanceId}`);
    });
  } catch (error) {
    if (error instanceof StageFailed) return false;
    throw error;
  }
}

async function deleteNode(job: Job): Promise<void> {
  const name = job.machine?.privateDnsName;
  const node = name ? await job.steps.nodes.read(name) : undefined;
  if (name && node?.metadata?.uid) await job.steps.nodes.remove(name, node.metadata.uid);
}
