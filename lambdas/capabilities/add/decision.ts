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
import type { FailureReason } from "../../records/failures.ts";
import type { Message } from "../../records/records.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import type { ProvisionTask } from "./task.ts";

/** A press on a button: one under the failed machine, or the cancellation of the operation. */
interface Pressed {
  readonly decision: "keep" | "terminate" | "cancel";
  readonly userId: string;
}

/** Decision about a failed machine. */
export type Decision =
  | Pressed
  | { readonly decision: "time" }
  /** The instance ended meanwhile: nothing is left to decide. */
  | { readonly decision: "gone" }
  /** The time was up after a person had decided whose right to do so could not be judged. */
  | { readonly decision: "unjudged"; readonly userId: string };

/** Question about a failed machine: its failure, the state left, and the last time to decide (Unix milliseconds). */
interface Question extends Standing {
  readonly until: number;
}

/** A failed machine's failure, and the state in which it is left meanwhile. */
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
  const decided = await askUntilDecided<Pressed | "the machine", Decision>(ctx, steps, {
    name: "what becomes of the machine",
    until,
    read: answerIn,
    show: async (callbackId, round) => {
      await show(task, question, callbackId, { isFirst: round === 1, unjudgedBy });
      return null;
    },
    written: (callbackId) => written(task, callbackId, until),
    notice: noticeOf(task, question),
    judge: async (answer, round) => {
      if (answer === "the machine") return (await hasMachineEnded(task, round)) ? { decision: "gone" } : null;
      const verdict = await judge(task, answer, round);
      if (verdict === "unjudged") unjudgedBy = answer.userId;
      return verdict === "counts" ? answer : null;
    },
  });
  if (decided !== TIME_IS_UP) return decided;
  // A press that could not be judged keeps the clock from terminating.
  return unjudgedBy === null ? { decision: "time" } : { decision: "unjudged", userId: unjudgedBy };
}

/** An event of the instance completes the same callback as a button: then there is no decision in it. */
const answerIn = (text: string): Pressed | "the machine" => {
  const answer = JSON.parse(text) as Partial<Pressed>;
  return answer.decision === undefined ? "the machine" : (answer as Pressed);
};

/** The press on a button, or a cancellation, as the ledger holds it. */
async function written(
  { steps, start, index }: ProvisionTask,
  callbackId: string,
  until: number,
): Promise<Pressed | null> {
  const given = await steps.ledger.answerOf(start.operation, `node ${index}`, callbackId, until);
  if (given?.decision === "keep" || given?.decision === "terminate")
    return { decision: given.decision, userId: given.userId };
  const by = (await steps.ledger.operation(start.operation))?.cancelledBy ?? null;
  return by === null ? null : { decision: "cancel", userId: by };
}

/** While EC2 does not answer, the question stays: it ends by a press or by the clock. */
const hasMachineEnded = (task: ProvisionTask, round: number): Promise<boolean> =>
  once(task, `look whether it ended ${round}`, async () => {
    const seen = task.lease ? await task.steps.instances.describe(task.lease.instanceId) : undefined;
    return seen !== undefined && hasEnded(seen);
  }).catch(() => false);

const noticeOf = ({ start, stage, lease }: ProvisionTask, { until, ...failure }: Question) =>
  decisionNotice(start.operation, {
    instanceId: lease?.instanceId ?? null,
    failure: { stage, ...failure },
    decideBy: new Date(until).toISOString(),
  });

/** A decision that did not count makes room for another one. */
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
 * The roster may be minutes older than the click, so the person's permission is checked again. If the rules or Slack cannot
 * be read, the click has one effect: the machine is not terminated at the deadline.
 */
async function judge(
  task: ProvisionTask,
  pressed: Pressed,
  round: number,
): Promise<"counts" | "does not count" | "unjudged"> {
  try {
    const counts = await once(task, `judge the decision ${round}`, () => mayCount(task, pressed));
    return counts ? "counts" : "does not count";
  } catch (error) {
    const why = causeOf(error).message;
    console.error(`the decision of ${pressed.userId} could not be judged`, why);
    await once(task, `report the failed permission check ${round}`, () => sayUnjudged(task, pressed, why));
    return "unjudged";
  }
}

async function mayCount(task: ProvisionTask, { decision, userId }: Pressed): Promise<boolean> {
  const { steps, start } = task;
  if (decision === "cancel") return (await cancelledBy(steps, start.operation)) !== null;
  if (!(await mayDecide(steps, userId, "add", start.pool))) return false;
  await hear(task, decision, userId);
  return true;
}

/** In the thread for everybody, and to the one who pressed. */
async function sayUnjudged(task: ProvisionTask, { decision, userId }: Pressed, why: string): Promise<void> {
  const words = decisionUnjudged(decision, why);
  await addNotes(task, [words]);
  await sendEphemeral(task, userId, say(plain(words, 1_000)));
}

/** The message shows it a moment later: until then the person should know that the click was heard. */
const hear = (task: ProvisionTask, decision: Pressed["decision"], userId: string): Promise<void> =>
  sendEphemeral(task, userId, decisionHeard(task.lease?.instanceId ?? "the machine", decision === "keep"));

const sendEphemeral = ({ steps, runtime }: ProvisionTask, userId: string, message: Message): Promise<void> =>
  steps.thread.sendEphemeral(runtime.configuration.slack.channel, userId, message).catch((error: unknown) => {
    console.error("the answer to a click was lost", error);
  });
