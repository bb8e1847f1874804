import type { Act } from "../../audit/entry.ts";
import { apply, once, onMachine, record, uncancellable } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import { Cancelled, causeOf, failureReason, MINUTE } from "../../engine/durable.ts";
import { log } from "../../logging.ts";
import {
  doneByOthers,
  kubeletIs,
  machineEndedBy,
  machineLeaves,
  machineOutcome,
  UNREADABLE,
} from "../../messages/provision/machine-outcome.ts";
import type { FailureReason, StageFault } from "../../records/failures.ts";
import { stagesOf } from "../../stages.ts";
import { codeOfEnd, instanceEnd, wasGivenUp } from "../../steps/ec2/instance-end.ts";
import { hasEnded, isDown } from "../../steps/ec2/instances.ts";
import { cleanUpInstance, leftBy } from "./clean-up-instance.ts";
import { planOf } from "./configure.ts";
import { awaitDecision, type Decision } from "./decision.ts";
import type { ProvisionTask } from "./task.ts";

/**
 * Handles a node's failure or cancellation: the kubelet is stopped first so that no half-configured node stays in the
 * cluster; then a cancelled machine is terminated, and a person is asked whether to keep a failed one.
 */
export async function handleFailure(task: ProvisionTask, error: unknown): Promise<void> {
  const cause = causeOf(error);
  const seen = await failureFacts(task);
  const kubelet = await kubeletNow(task, seen);
  if (cause instanceof Cancelled)
    return cleanUpInstance(task, { status: "cancelled", by: machineEndedBy.cancellation(cause.message) });
  const reason = reasonWith(seen.findings, failureReason(cause));
  if (seen.isGone) {
    const by = seen.isGivenUp ? doneByOthers.givenUp : doneByOthers.terminated;
    return cleanUpInstance(task, {
      status: "failed",
      by,
      failure: { stage: task.stage, ...reason, left: machineLeaves.gone },
    });
  }
  if (!task.lease) return failWithoutLease(task, reason);
  // A machine that waits for a person needs no join slot: twenty of them must not block every other add.
  await once(task, "give back the join slot", () => task.steps.joinSlots.giveBack(task.owner));
  const left = machineLeaves.standing(task.lease.instanceId, seen.state, kubelet);
  const decided = await awaitDecision(task, { ...reason, left });
  await once(task, "log the decision", async () => {
    const by = "userId" in decided ? decided.userId : undefined;
    log("INFO", "decision", { decision: "failed machine", outcome: decided.decision, by });
    await auditNode(task, "failed machine", decisionAct(task, decided));
  });
  return carryOut(task, decided);
}

/** Puts changes made outside Casement first, in the words and the code, because they caused the failure. */
function reasonWith(findings: readonly StageFault[], { why, code }: FailureReason): FailureReason {
  const first = findings[0]?.code ?? code;
  const words = [...new Set([...findings.map((one) => one.why), why])].join("; ");
  return { why: words, ...(first === undefined ? {} : { code: first }) };
}

/** Audit entry of the decision about a failed machine, or of its missed deadline. */
const decisionAct = ({ stage }: ProvisionTask, decided: Decision): Act => ({
  what: decided.decision === "time" || decided.decision === "gone" ? "lapsed" : "decided",
  ...("userId" in decided ? { by: { person: decided.userId } } : {}),
  detail: { question: "failed machine", stage, decision: decided.decision },
});

/** Stops the kubelet if one may run. @returns its state, one of `kubeletIs` */
function kubeletNow(task: ProvisionTask, seen: FailureFacts): Promise<string> | string {
  if (seen.isGone) return kubeletIs.gone;
  return isDown(seen) ? kubeletIs.off : stopKubelet(task);
}

/** State of instance and Node after a stage has failed. */
interface FailureFacts {
  readonly isGone: boolean;
  /** EC2 reclaimed the instance, or its hardware failed. */
  readonly isGivenUp: boolean;
  /** State of the instance, as EC2 names it. */
  readonly state: string;
  /** Changes made outside Casement, which caused the failure. */
  readonly findings: readonly StageFault[];
}

/**
 * Reads the state of the instance and of its Node. If no answer comes for minutes, continue without it; a person still
 * decides.
 */
async function failureFacts(task: ProvisionTask): Promise<FailureFacts> {
  try {
    return await once(task, "look what became of it", () => readFacts(task));
  } catch {
    return { isGone: false, isGivenUp: false, state: UNREADABLE, findings: [] };
  }
}

async function readFacts({ steps, lease, machine, node, profile }: ProvisionTask): Promise<FailureFacts> {
  if (!lease) return { isGone: false, isGivenUp: false, state: "unknown", findings: [] };
  const seen = await steps.instances.describe(lease.instanceId);
  if (seen && hasEnded(seen))
    return {
      isGone: true,
      isGivenUp: wasGivenUp(seen),
      state: seen.state,
      findings: [{ code: codeOfEnd(seen), why: instanceEnd(seen) }],
    };
  const uid = node && machine ? (await steps.nodes.read(profile.nodeName(machine)))?.metadata?.uid : undefined;
  return {
    isGone: false,
    isGivenUp: false,
    state: seen?.state ?? "unknown",
    findings: uid === node?.uid ? [] : [{ code: "node-deleted", why: doneByOthers.nodeDeleted }],
  };
}

const names = stagesOf("provision").map(({ name }) => name);

/** Stages in which the kubelet may run: `configure` starts it. */
const KUBELET_MAY_RUN: ReadonlySet<string> = new Set(names.slice(names.indexOf("configure")));

/** Time for one small plan on a machine that answers (assumed). */
const STOPPED_WITHIN_MS = 4 * MINUTE;

/**
 * Stops the kubelet, if the machine's agent answers.
 * @returns the kubelet's state, one of `kubeletIs`
 */
async function stopKubelet(task: ProvisionTask): Promise<string> {
  if (!task.lease || !task.machine || !KUBELET_MAY_RUN.has(task.stage)) return kubeletIs.neverStarted;
  const { until } = await once(task, "begin to stop the kubelet", async () => ({
    until: task.steps.now() + STOPPED_WITHIN_MS,
  }));
  try {
    await apply(task, "stop the kubelet", planOf(task, "stopKubelet"), onMachine(task, uncancellable(task, until)));
    return kubeletIs.stopped;
  } catch (error) {
    return kubeletIs.notStopped(causeOf(error).message);
  }
}

const failWithoutLease = (task: ProvisionTask, reason: FailureReason): Promise<void> =>
  once(task, "failed", () => {
    const left = leftBy(task, null);
    const failure = { stage: task.stage, ...reason, left: left.outcome };
    return record(task, { status: "failed", failure, waitsFor: null, endedAt: task.steps.timestamp(), ...left });
  });

function carryOut(task: ProvisionTask, decided: Decision): Promise<void> {
  switch (decided.decision) {
    case "time":
      return cleanUpInstance(task, { status: "failed", by: machineEndedBy.deadline });
    case "gone":
      return cleanUpInstance(task, { status: "failed", by: doneByOthers.terminated });
    case "unjudged":
      return keep(task, machineOutcome.keptUnjudged(decided.userId));
    case "keep":
      return keep(task, machineOutcome.kept(decided.userId));
    case "terminate":
      return cleanUpInstance(task, { status: "failed", by: machineEndedBy.decision(decided.userId) });
    case "cancel":
      return cleanUpInstance(task, { status: "cancelled", by: machineEndedBy.cancellation(decided.userId) });
  }
}

const keep = (task: ProvisionTask, outcome: string): Promise<void> =>
  once(task, "keep the machine", () =>
    record(task, {
      status: "failed",
      callbacks: {},
      decideBy: null,
      endedAt: task.steps.timestamp(),
      keptAt: task.steps.timestamp(),
      outcome,
    }),
  );
