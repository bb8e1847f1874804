import { askUntilDecided, TIME_IS_UP } from "../../change/approval/ask.ts";
import { addNotes } from "../../change/node/notes.ts";
import { once, record } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import { cancelledBy, mayDecide } from "../../change/operation/requester.ts";
import { causeOf, MINUTE } from "../../engine/durable.ts";
import { decisionHeard, decisionUnjudged } from "../../messages/command/acknowledgements.ts";
import { decisionNotice } from "../../messages/operation/escalations.ts";
import { say } from "../../messages/slack/blocks.ts";
import { plain } from "../../messages/slack/text.ts";
import { sameFailureBefore } from "../../records/failure-groups.ts";
import type { FailureReason } from "../../records/failures.ts";
import type { Message } from "../../records/records.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import type { ProvisionTask } from "./task.ts";

/** A press of a button under the failed machine, or a cancellation of the operation. */
interface Press {
  readonly decision: "keep" | "terminate" | "cancel";
  readonly userId: string;
  /** The front door has confirmed the press, with those about other machines. */
  readonly isOfMany?: true;
}

/** Decision about a failed machine. */
export type Decision =
  | Press
  | { readonly decision: "time" }
  /** The instance was terminated meanwhile: nothing is left to decide. */
  | { readonly decision: "gone" }
  /** The time ran out after a decision whose author's permission could not be checked. */
  | { readonly decision: "unjudged"; readonly userId: string };

/** Question about a failed machine: its failure, its state, and the deadline of the decision (Unix milliseconds). */
interface Question extends Standing {
  readonly until: number;
}

/** A machine's failure, and the state in which the machine stays until the decision. */
interface Standing extends FailureReason {
  readonly left: string;
}

/**
 * Asks in the message whether to keep a failed machine, until a permitted person decides or the deadline passes.
 */
export async function awaitDecision(task: ProvisionTask, standing: Standing): Promise<Decision> {
  const { ctx, steps } = task;
  const minutes = task.runtime.configuration.deadlines.provision.keepFailed;
  const until = await once(task, "how long it is kept", async () => steps.now() + minutes * MINUTE);
  const question = { ...standing, until };
  let unjudgedBy: string | null = null;
  const decided = await askUntilDecided<Press | "the machine", Decision>(ctx, steps, {
    name: "what becomes of the machine",
    until,
    show: async (callbackId, round) => {
      await show(task, question, callbackId, { isFirst: round === 1, unjudgedBy });
      return null;
    },
    written: (callbackId) => written(task, callbackId, until),
    // An event of the instance completes the same callback as a button, without a decision.
    woken: "the machine",
    notice: noticeOf(task, question),
    // If the ledger does not answer, one page too many is better than none.
    isPaged: () => isCalledTo(task).catch(() => false),
    judge: async (answer, round) => {
      if (answer === "the machine") return (await hasMachineEnded(task, round)) ? { decision: "gone" } : null;
      const verdict = await judge(task, answer, round);
      if (verdict === "unjudged") unjudgedBy = answer.userId;
      return verdict === "valid" ? answer : null;
    },
  });
  if (decided !== TIME_IS_UP) return decided;
  // After a press that could not be judged, the deadline does not terminate the machine.
  return unjudgedBy === null ? { decision: "time" } : { decision: "unjudged", userId: unjudgedBy };
}

/** Reads a press or a cancellation from the ledger. */
async function written(
  { steps, start, index }: ProvisionTask,
  callbackId: string,
  until: number,
): Promise<Press | null> {
  const given = await steps.ledger.answerOf(start.operation, `node ${index}`, callbackId, until);
  if (given?.decision === "keep" || given?.decision === "terminate")
    return { decision: given.decision, userId: given.userId, ...(given.isOfMany ? { isOfMany: true } : {}) };
  const by = (await steps.ledger.operation(start.operation))?.cancelledBy ?? null;
  return by === null ? null : { decision: "cancel", userId: by };
}

/** Has the machine ended? If EC2 does not answer, the question stays open until a press or the deadline. */
const hasMachineEnded = (task: ProvisionTask, round: number): Promise<boolean> =>
  once(task, `look whether it ended ${round}`, async () => {
    const seen = task.lease ? await task.steps.instances.describe(task.lease.instanceId) : undefined;
    return seen !== undefined && hasEnded(seen);
  }).catch(() => false);

/** Were people called to another machine of the operation that failed before for the same cause? */
async function isCalledTo({ steps, start, index }: ProvisionTask): Promise<boolean> {
  const nodes = await steps.ledger.nodes(start.operation);
  const own = nodes.find((node) => node.index === index);
  return own !== undefined && sameFailureBefore(own, nodes) !== undefined;
}

const noticeOf = ({ start, stage, lease }: ProvisionTask, { until, ...failure }: Question) =>
  decisionNotice(start.operation, {
    instanceId: lease?.instanceId ?? null,
    failure: { stage, ...failure },
    decideBy: new Date(until).toISOString(),
  });

/** Shows the question. A rejected decision is cleared, so that another one can follow. */
async function show(
  task: ProvisionTask,
  { until, ...failure }: Question,
  callbackId: string,
  { isFirst, unjudgedBy }: { readonly isFirst: boolean; readonly unjudgedBy: string | null },
): Promise<void> {
  const { steps, stage, node, lease } = task;
  if (lease) await steps.ledger.awaitMachine(lease.instanceId, callbackId);
  await record(task, {
    status: "deciding",
    waitsFor: null,
    failure: { stage, ...failure },
    decideBy: new Date(until).toISOString(),
    callbacks: { decision: callbackId, cancel: callbackId },
    ...(unjudgedBy === null ? {} : { unjudgedBy }),
    ...(isFirst ? { failedAt: steps.timestamp() } : { decided: null }),
  });
  if (isFirst) await auditNode(task, "asked", { what: "asked", detail: { question: "failed machine", stage } });
  if (node && isFirst)
    await steps.nodes.announce(node, "Warning", "CasementProvisioningFailed", `stage ${stage}: ${failure.why}`);
}

/**
 * Checks the person's permission again, because the front door's roster may be minutes old. If the rules or Slack
 * cannot be read, the press only keeps the machine from being terminated at the deadline.
 */
async function judge(task: ProvisionTask, pressed: Press, round: number): Promise<"valid" | "invalid" | "unjudged"> {
  try {
    const isValid = await once(task, `judge the decision ${round}`, () => isPermitted(task, pressed));
    return isValid ? "valid" : "invalid";
  } catch (error) {
    const why = causeOf(error).message;
    console.error(`the decision of ${pressed.userId} could not be judged`, why);
    await once(task, `report the failed permission check ${round}`, () => sayUnjudged(task, pressed, why));
    return "unjudged";
  }
}

async function isPermitted(task: ProvisionTask, { decision, userId, isOfMany }: Press): Promise<boolean> {
  const { steps, start } = task;
  if (decision === "cancel") return (await cancelledBy(steps, start.operation)) !== null;
  if (!(await mayDecide(steps, userId, "add", start.pool))) return false;
  if (!isOfMany) await confirmPress(task, decision, userId);
  return true;
}

/** Reports it in the thread, and to the person who pressed. */
async function sayUnjudged(task: ProvisionTask, { decision, userId }: Press, why: string): Promise<void> {
  const words = decisionUnjudged(decision, why);
  await addNotes(task, [words]);
  await sendEphemeral(task, userId, say(plain(words, 1_000)));
}

/** Confirms the press to the person, because the message shows it only a moment later. */
const confirmPress = (task: ProvisionTask, decision: Press["decision"], userId: string): Promise<void> =>
  sendEphemeral(task, userId, decisionHeard(task.lease?.instanceId ?? "the machine", decision === "keep"));

const sendEphemeral = ({ steps, runtime }: ProvisionTask, userId: string, message: Message): Promise<void> =>
  steps.thread.sendEphemeral(runtime.configuration.slack.channel, userId, message).catch((error: unknown) => {
    console.error("the answer to a click was lost", error);
  });
