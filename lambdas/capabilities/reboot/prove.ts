import { isAgentSilent } from "../../change/node/agent.ts";
import { addNotes } from "../../change/node/notes.ts";
import { leaseOf, nodeOf, onMachine, record, waitFor } from "../../change/node/task.ts";
import { done, MINUTE, type Poll, pending, StageFailed } from "../../engine/durable.ts";
import type { CheckName } from "../../health/check.ts";
import { checked, firstWrong, healthQuestions } from "../../health/checks.ts";
import type { BootBefore, HealthFacts } from "../../health/facts.ts";
import type { Trouble } from "../../health/trouble.ts";
import { onOurClock } from "../../machine/boots.ts";
import { timesIn } from "../../messages/health/log-words.ts";
import {
  deletedInProof,
  keepsEnding,
  machineToAnswer,
  nodeToStayWell,
  notKnownYet,
  notProvenYet,
  registeredAnew,
  restartedInProof,
  silentInProof,
} from "../../messages/node/reboot.ts";
import { profileOf } from "../../profiles/list.ts";
import type { FailureCode, FailureReason, StageFault } from "../../records/failures.ts";
import type { ObservationState } from "../../steps/machine/machine-observation.ts";
import { notRestarted, type Processes, processesOf, restarted } from "./processes.ts";
import { notRestartedYet } from "./restart-message.ts";
import { currentScreenshot } from "./screenshot.ts";
import type { RebootTask } from "./task.ts";
import { bootBefore } from "./unproven.ts";

/** An observation that the machine has answered. */
type AnsweredObservation = Extract<ObservationState, { state: "answered" }>;

/** State of the proof between two polls. */
interface Proof {
  /** SSM command of the observation in progress; null between two observations. */
  readonly commandId: string | null;
  /** Number of observations that were sent; named "looks" in stored results of steps. */
  readonly looks: number;
  /**
   * Time of the first observation of the current run of good ones, in milliseconds since the epoch; null without one.
   */
  readonly goodSince: number | null;
  /** Process of each service at that observation: a service that keeps crashing may be running at every observation. */
  readonly processes?: Processes;
  /**
   * Time since when everything but the Node was in order, in milliseconds since the epoch; missing while the kubelet may
   * still register.
   */
  readonly missingSince?: number;
  /** Result of the last observation, in words; before the first one, that the machine has to answer. */
  readonly why: string;
  /** Code of the failed check. */
  readonly code?: FailureCode | undefined;
  /** A note in the thread names a service that keeps ending. */
  readonly isCrashTold?: true;
  /** The last observation found a fault that no wait ends. */
  readonly isLasting?: boolean;
}

/** A failed check. */
interface FailedCheck extends StageFault {
  /** Set for a service that has ended at least three times. */
  readonly isCrash?: true;
  /** Set for pods that run without an endpoint, which only a new pod gets. */
  readonly isLasting?: true;
}

/**
 * Seconds for which the node must be well with the same processes: a service that keeps crashing runs for a moment
 * after each start.
 */
const STAYS_WELL_SECONDS = 60;

/** A kubelet registers its Node within seconds of its start, and only then (pkg/kubelet/kubelet_node_status.go). */
const REGISTERS_WITHIN_MS = 2 * MINUTE;

/** Ends of a service with the same words after which it will not stay up by itself. */
const MOST_ENDS = 3;

/** Seconds between two observations of a node that is well. */
const PAUSE_SECONDS = 30;

/**
 * Waits until every check of the node passes after its reboot or restart, in observations a minute apart. A failed check may pass
 * later, as services start, so the machine is observed again until the stage's deadline.
 * @throws DeadlineExceeded that names the first failed check; MachineEnded
 */
export const proveMachine = (task: RebootTask): Promise<true> => {
  task.wait = onMachine(task, task.wait);
  return waitFor<true, Proof>(task, "the node is proven", (kept) => {
    const proof = kept ?? { commandId: null, looks: 0, goodSince: null, why: machineToAnswer };
    return proof.commandId === null ? ask(task, proof, lastFault(proof)) : read(task, proof.commandId, proof);
  });
};

/** Reason of the wait between two observations: a check that failed may fail again, as of a service that keeps ending. */
const lastFault = ({ why, code }: Proof): FailureReason =>
  code === undefined ? { why: machineToAnswer } : { why, code };

/**
 * Ends a proof that a person asked for while no command reaches the machine: it would hold the machine's lease until its
 * deadline, and keep the reboot away that helps. A machine that was just rebooted gets time to answer instead.
 * @throws StageFailed
 */
async function checkReached(task: RebootTask): Promise<void> {
  const { steps, workflow } = task;
  const { instanceId } = leaseOf(task);
  if (workflow !== "proving" || !(await isAgentSilent(steps, instanceId))) return;
  const { lastPingAt } = await steps.health.agent(instanceId);
  await record(task, { screenshot: await currentScreenshot(task, {}) });
  throw new StageFailed("agent-silent", silentInProof(lastPingAt, steps.timestamp()));
}

/** Sends the questions; later polls read the answer. */
async function ask(task: RebootTask, proof: Proof, { why, code }: FailureReason): Promise<Poll<true, Proof>> {
  await checkReached(task);
  const { steps, owner, runtime } = task;
  const { looks: sent } = proof;
  const { expected } = profileOf(runtime.configuration);
  const mark = `${owner} proof ${sent + 1}`;
  const commandId = await steps.machineObservation.ask(leaseOf(task).instanceId, healthQuestions(expected), mark);
  return pending(why, { code, kept: { ...proof, commandId, looks: sent + 1, why, code } });
}

async function read(task: RebootTask, commandId: string, proof: Proof): Promise<Poll<true, Proof>> {
  const { steps } = task;
  const observation = await steps.machineObservation.answer(commandId, leaseOf(task).instanceId);
  // At the deadline the last known cause is reported, not that one more observation was in progress.
  if (observation.state === "running") return pending(proof.why, { code: proof.code, kept: proof });
  if (observation.state === "failed")
    return ask(task, { ...proof, goodSince: null }, { why: `${machineToAnswer} (${observation.why})` });
  await checkSameNode(task, task.workflow === "reboot");
  const processes = processesOf(observation.answers);
  const fault: FailedCheck | null = (await faultOf(task, observation)) ?? restartFault(task, processes);
  if (fault !== null) {
    endIfLasting(task, proof, fault);
    const { missingSince: _, ...rest } = await noteCrash(task, proof, fault);
    const kept = { ...rest, ...missing(task, proof, fault), goodSince: null, isLasting: fault.isLasting === true };
    return ask(task, kept, fault);
  }
  const ended = restarted(proof.goodSince === null ? {} : (proof.processes ?? {}), processes);
  if (ended !== null)
    return ask(task, { ...proof, goodSince: null }, { why: restartedInProof(ended), code: "check-fails" });
  const goodSince = proof.goodSince ?? steps.now();
  if (steps.now() - goodSince >= STAYS_WELL_SECONDS * 1_000) {
    await noteProven(task, observation);
    return done(true);
  }
  return pending(nodeToStayWell, { kept: { ...proof, commandId: null, goodSince, processes }, againIn: PAUSE_SECONDS });
}

/**
 * Notes since when only the Node is missing: its kubelet runs, so someone deleted the Node once it had registered.
 * @throws StageFailed when it has been missing for longer than a kubelet takes to register
 */
function missing({ steps }: RebootTask, proof: Proof, { code }: FailedCheck): Pick<Proof, "missingSince"> {
  if (code !== "node-deleted") return {};
  const { missingSince = steps.now() } = proof;
  if (steps.now() - missingSince >= REGISTERS_WITHIN_MS) throw new StageFailed("node-deleted", deletedInProof);
  return { missingSince };
}

/**
 * Ends a proof without a reboot of a node whose pods have lost their endpoints at two observations: no service makes them
 * again. After a reboot every pod is a new one.
 * @throws StageFailed
 */
function endIfLasting({ workflow }: RebootTask, { isLasting }: Proof, fault: FailedCheck): void {
  if (workflow !== "reboot" && isLasting && fault.isLasting) throw new StageFailed("endpoints-lost", fault.why);
}

/** Notes once in the thread that a service keeps ending: a person may find the cause while the proof continues. */
async function noteCrash(task: RebootTask, proof: Proof, { why, isCrash }: FailedCheck): Promise<Proof> {
  if (proof.isCrashTold || !isCrash) return proof;
  await addNotes(task, [keepsEnding(why)]);
  return { ...proof, isCrashTold: true };
}

/**
 * Records the proven boot, and the reasons for another one. If Casement ordered no reboot, the reboot watch finds out
 * why the machine booted.
 */
async function noteProven(task: RebootTask, { verdict, answers }: AnsweredObservation): Promise<void> {
  const { steps, operation, workflow } = task;
  if (workflow === "proving") return;
  const { reasons, file } = answers.reboot ?? { reasons: [] };
  const proven = { instanceId: leaseOf(task).instanceId, uid: nodeOf(task).uid, reasons };
  if (workflow === "restart") return steps.machines.seen.noteReasons(proven);
  const bootId = onOurClock(verdict.bootId, verdict.clock, steps.now());
  await steps.machines.seen.noteProof(operation, { ...proven, ...(file === undefined ? {} : { file }), bootId });
}

/**
 * Checks that the Node is still the same. A deleted Node registers again when its kubelet starts, with another uid.
 * @param mayBeMissing the machine was rebooted, so a missing Node may still register
 * @throws StageFailed when the Node was deleted or replaced
 */
export async function checkSameNode(task: RebootTask, mayBeMissing: boolean): Promise<void> {
  const { name, uid } = nodeOf(task);
  const node = await task.steps.nodes.read(name);
  if (!node && !mayBeMissing) throw new StageFailed("node-deleted", deletedInProof);
  if (node && node.metadata?.uid !== uid) throw new StageFailed("registered-anew", registeredAnew);
}

/** Finds a service that was not restarted. @returns null in a reboot, and once each has another process */
function restartFault({ processes }: RebootTask, now: Processes): StageFault | null {
  const service = processes && notRestarted(processes, now);
  return service === null ? null : { code: "restart-not-happened", why: notRestartedYet(service) };
}

/** Codes of checks that have a remedy of their own. */
const checkCodes: Partial<Readonly<Record<CheckName, FailureCode>>> = {
  agent: "route-lost",
  metadata: "route-lost",
  routes: "route-lost",
  registered: "node-deleted",
};

const codeOfCheck = (name: CheckName): FailureCode => checkCodes[name] ?? "check-fails";

const lacksEndpoints = (trouble: Trouble): boolean =>
  trouble.kind === "pods-without-endpoint" || (trouble.kind === "hns-restarted" && trouble.pods.length > 0);

/** Judges the node by the current facts of every source. @returns null if it is proven */
async function faultOf(task: RebootTask, observation: AnsweredObservation): Promise<FailedCheck | null> {
  const facts = await factsOf(task, observation);
  const all = checked(facts);
  const fault = firstWrong(all);
  if (fault) {
    const { trouble } = fault;
    const isCrash = trouble.kind === "service-down" && timesIn(trouble.log) >= MOST_ENDS;
    const why = notProvenYet(fault, nodeOf(task).name, facts.now);
    const marks = {
      ...(isCrash ? { isCrash } : {}),
      ...(lacksEndpoints(trouble) ? ({ isLasting: true } as const) : {}),
    };
    return { code: codeOfCheck(fault.name), why, ...marks };
  }
  // EC2 has no status checks for an instance in its first minutes; the machine's own answer is enough.
  const unknown = all.find(({ name, state }) => state === "unknown" && name !== "status");
  return unknown?.state === "unknown"
    ? { code: codeOfCheck(unknown.name), why: notKnownYet(unknown.name, unknown.why) }
    : null;
}

async function factsOf(task: RebootTask, { verdict, answers }: AnsweredObservation): Promise<HealthFacts> {
  const { steps, runtime } = task;
  const { instanceId } = leaseOf(task);
  const { name } = nodeOf(task);
  const [machine, node] = await Promise.all([steps.instances.describe(instanceId), steps.nodes.read(name)]);
  const [ec2, agent, cluster] = await Promise.all([
    machine ? steps.health.instance(machine) : null,
    steps.health.agent(instanceId),
    steps.health.node(name, node ?? undefined),
  ]);
  const now = steps.timestamp();
  return {
    now,
    ec2: ec2 ? { known: true, value: ec2 } : { known: false, why: `EC2 knows no ${instanceId}` },
    ssm: { known: true, value: agent },
    kubernetes: { known: true, value: cluster },
    machine: { known: true, value: { verdict, answers, at: now } },
    expected: profileOf(runtime.configuration).expected,
    before: (await bootBefore(task)) ?? anyBoot,
  };
}

/** Placeholder for an unknown boot: every boot of the machine differs from it. */
const anyBoot: BootBefore = { bootId: null, bootedAt: new Date(0).toISOString(), askedAt: new Date(0).toISOString() };
