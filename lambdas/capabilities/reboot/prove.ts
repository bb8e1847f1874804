import { leaseOf, nodeOf, onMachine, waitFor } from "../../change/node/task.ts";
import { done, type Poll, pending, StageFailed } from "../../engine/durable.ts";
import type { CheckName } from "../../health/check.ts";
import { checked, firstWrong, healthQuestions } from "../../health/checks.ts";
import type { BootBefore, HealthFacts } from "../../health/facts.ts";
import { type Processes, processesOf, restarted } from "../../health/processes.ts";
import { onOurClock } from "../../machine/seen-machine.ts";
import {
  deletedInProof,
  machineToAnswer,
  nodeToStayWell,
  notKnownYet,
  notProvenYet,
  registeredAnew,
  restartedInProof,
} from "../../messages/node/reboot.ts";
import { profileOf } from "../../profiles/list.ts";
import type { FailureCode, FailureReason, StageFault } from "../../records/failures.ts";
import type { LookState } from "../../steps/machine/machine-look.ts";
import type { RebootTask } from "./task.ts";

/** A look that the machine has answered. */
type Answered = Extract<LookState, { state: "answered" }>;

/** State of the proof between two polls. */
interface Proof {
  /** The look at the machine that is under way; null between two looks. */
  readonly commandId: string | null;
  /** Looks that were sent so far. */
  readonly looks: number;
  /** Time of the first look of those in a row that found nothing wrong, in milliseconds since the epoch; null without one. */
  readonly goodSince: number | null;
  /** Process of each service at that look: a service that ends again and again may run at every look. */
  readonly processes?: Processes;
  /** Result of the last look, in words; before the first one, that the machine is to answer. */
  readonly why: string;
  /** Code of the check that is wrong. */
  readonly code?: FailureCode | undefined;
}

/** A service that ends again and again runs for a moment after each start: the node must be well, with the same processes, for so long. */
const STAYS_WELL_SECONDS = 60;

/** Seconds between two looks at a node that is well. */
const PAUSE_SECONDS = 30;

/**
 * Waits until every check of the node is in order after its reboot, in looks that are a minute apart. A check that is wrong
 * may mend itself, as services start: the machine is looked at anew until the stage's deadline.
 * @throws DeadlineExceeded that names the first check that is wrong; MachineEnded
 */
export const proveMachine = (task: RebootTask): Promise<true> => {
  task.wait = onMachine(task, task.wait);
  return waitFor<true, Proof>(task, "the node is proven", (kept) => {
    const proof = kept ?? { commandId: null, looks: 0, goodSince: null, why: machineToAnswer };
    return proof.commandId === null ? ask(task, proof, { why: machineToAnswer }) : read(task, proof.commandId, proof);
  });
};

/** Sends the questions; the answer is read by later polls. */
async function ask(task: RebootTask, proof: Proof, { why, code }: FailureReason): Promise<Poll<true, Proof>> {
  const { steps, owner, runtime } = task;
  const { looks } = proof;
  const { expected } = profileOf(runtime.configuration);
  const mark = `${owner} proof ${looks + 1}`;
  const commandId = await steps.machineLook.ask(leaseOf(task).instanceId, healthQuestions(expected), mark);
  return pending(why, { code, kept: { ...proof, commandId, looks: looks + 1, why, code } });
}

async function read(task: RebootTask, commandId: string, proof: Proof): Promise<Poll<true, Proof>> {
  const { steps } = task;
  const look = await steps.machineLook.answer(commandId, leaseOf(task).instanceId);
  // At the deadline the last known cause is told, not that one more look was under way.
  if (look.state === "running") return pending(proof.why, { code: proof.code, kept: proof });
  if (look.state === "failed")
    return ask(task, { ...proof, goodSince: null }, { why: `${machineToAnswer} (${look.why})` });
  await checkSameNode(task, task.workflow !== "proving");
  const fault = await faultOf(task, look);
  if (fault !== null) return ask(task, { ...proof, goodSince: null }, fault);
  const processes = processesOf(look.answers);
  const ended = restarted(proof.goodSince === null ? {} : (proof.processes ?? {}), processes);
  if (ended !== null)
    return ask(task, { ...proof, goodSince: null }, { why: restartedInProof(ended), code: "check-fails" });
  const goodSince = proof.goodSince ?? steps.now();
  if (steps.now() - goodSince >= STAYS_WELL_SECONDS * 1_000) {
    await noteBoot(task, look);
    return done(true);
  }
  return pending(nodeToStayWell, { kept: { ...proof, commandId: null, goodSince, processes }, againIn: PAUSE_SECONDS });
}

/** Writes down the boot that was proven. A proof alone ordered no reboot: how the machine booted is the scheduled look's to find out. */
async function noteBoot(task: RebootTask, { verdict, answers }: Answered): Promise<void> {
  const { steps, operation, workflow } = task;
  if (workflow === "proving") return;
  const bootId = onOurClock(verdict.bootId, verdict.clock, steps.now());
  const { instanceId } = leaseOf(task);
  const reasons = answers.reboot?.reasons ?? [];
  await steps.machines.seen.noteProof(operation, { instanceId, uid: nodeOf(task).uid, bootId, reasons });
}

/**
 * Checks that the Node is still the one that is proven. One that was deleted registers anew when its kubelet starts: it is another one.
 * @param mayBeAway the machine was rebooted, so that a Node that is away may register yet
 * @throws StageFailed that says so
 */
export async function checkSameNode(task: RebootTask, mayBeAway: boolean): Promise<void> {
  const { name, uid } = nodeOf(task);
  const node = await task.steps.nodes.read(name);
  if (!node && !mayBeAway) throw new StageFailed("node-deleted", deletedInProof);
  if (node && node.metadata?.uid !== uid) throw new StageFailed("registered-anew", registeredAnew);
}

/** Codes of checks whose remedy is their own. */
const checkCodes: Partial<Readonly<Record<CheckName, FailureCode>>> = {
  agent: "route-lost",
  metadata: "route-lost",
  routes: "route-lost",
  registered: "node-deleted",
};

const codeOfCheck = (name: CheckName): FailureCode => checkCodes[name] ?? "check-fails";

/** Judges the node by what every source says now. @returns null if it is proven */
async function faultOf(task: RebootTask, look: Answered): Promise<StageFault | null> {
  const facts = await factsOf(task, look);
  const all = checked(facts);
  const fault = firstWrong(all);
  if (fault) return { code: codeOfCheck(fault.name), why: notProvenYet(fault, nodeOf(task).name, facts.now) };
  // EC2 has no status checks of an instance in its first minutes, and the machine itself answers.
  const unknown = all.find(({ name, state }) => state === "unknown" && name !== "status");
  return unknown?.state === "unknown"
    ? { code: codeOfCheck(unknown.name), why: notKnownYet(unknown.name, unknown.why) }
    : null;
}

async function factsOf(task: RebootTask, { verdict, answers }: Answered): Promise<HealthFacts> {
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
    before: beforeOf(task),
  };
}

/** Stands for a boot that is not known: any boot of the machine is another one. */
const anyBoot: BootBefore = { bootId: null, bootedAt: new Date(0).toISOString(), askedAt: new Date(0).toISOString() };

const beforeOf = ({ before }: RebootTask): BootBefore => before ?? anyBoot;
