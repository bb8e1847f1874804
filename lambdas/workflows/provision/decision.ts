import { CallbackTimeoutError } from "@aws/durable-execution-sdk-js";
import { decisionHeard, decisionUnjudged } from "../../messages/command/answers.ts";
import { decisionNotice } from "../../messages/operation/notices.ts";
import { say } from "../../messages/slack/blocks.ts";
import { plain } from "../../messages/slack/text.ts";
import type { Message } from "../../records.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import { causeOf, MINUTE } from "../engine/durable.ts";
import { escalate } from "../engine/escalate.ts";
import { cancelledBy, mayDecide } from "../operation/requester.ts";
import { type Job, once, record, remark } from "./job.ts";

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
  /** The time was up after somebody had decided of whom nobody could say whether they may. */
  | { readonly decision: "unjudged"; readonly userId: string };

/** Question about a failed machine: its failure, the state left, and the last time to decide (Unix milliseconds). */
interface Question {
  readonly why: string;
  readonly left: string;
  readonly until: number;
  /** The last person who decided and whose right to do so could not be judged. */
  readonly unjudgedBy: string | null;
}

/**
 * Asks in the message what becomes of a failed machine, until somebody decides who may, or the time is up.
 * @param why what failed, in the machine's own words
 * @param left how things are left meanwhile
 */
export async function awaitDecision(job: Job, why: string, left: string): Promise<Decision> {
  const minutes = job.runtime.configuration.deadlines.keepFailed;
  const until = await once(job, "how long it is kept", async () => job.steps.now() + minutes * MINUTE);
  let unjudgedBy: string | null = null;
  for (let round = 1; ; round += 1) {
    const answer = await ask(job, { why, left, until, unjudgedBy }, round);
    if (answer === "nothing") continue;
    if (answer === "gone" || answer === "time") return withoutPress(answer, unjudgedBy);
    const verdict = await judge(job, answer, round);
    if (verdict === "counts") return answer;
    if (verdict === "unjudged") unjudgedBy = answer.userId;
  }
}

const isGone = async ({ steps, lease }: Job): Promise<boolean> => {
  const seen = lease ? await steps.instances.describe(lease.instanceId) : undefined;
  return seen !== undefined && hasEnded(seen);
};

/** An event of the instance's completes the same callback as a button: then there is no decision in it. */
const answerIn = (text: string): Pressed | "the machine" => {
  const answer = JSON.parse(text) as Partial<Pressed>;
  return answer.decision === undefined ? "the machine" : (answer as Pressed);
};

/** Answer to the question: a press, the end of the time, the instance's end, or an event of it without meaning. */
type Answer = Pressed | "time" | "gone" | "nothing";

/** Nobody's press decided; one that could not be judged keeps the clock from terminating. */
function withoutPress(answer: "time" | "gone", unjudgedBy: string | null): Decision {
  if (answer === "gone") return { decision: "gone" };
  return unjudgedBy === null ? { decision: "time" } : { decision: "unjudged", userId: unjudgedBy };
}

async function ask(job: Job, question: Question, round: number): Promise<Answer> {
  const { ctx, steps } = job;
  const seconds = await once(job, `time to decide ${round}`, async () =>
    Math.max(1, Math.ceil((question.until - steps.now()) / 1000)),
  );
  const [decided, callbackId] = await ctx.createCallback<Pressed | "the machine">(
    `what becomes of the machine ${round}`,
    {
      timeout: { seconds },
      serdes: { deserialize: async (text) => (text ? answerIn(text) : undefined) },
    },
  );
  await once(job, `ask what becomes of the machine ${round}`, () => show(job, question, callbackId, round === 1));
  if (round === 1) await escalate(ctx, steps, "decide", noticeOf(job, question));
  try {
    const answer = await decided;
    if (answer !== "the machine") return answer;
    // While EC2 does not answer, the question stays: it ends by a press or by the clock.
    const ended = await once(job, `look whether it ended ${round}`, () => isGone(job)).catch(() => false);
    return ended ? "gone" : "nothing";
  } catch (error) {
    // Whatever else goes wrong is no answer: the clock alone says that the time is up.
    if (error instanceof CallbackTimeoutError) return "time";
    throw error;
  }
}

const noticeOf = ({ start, stage, lease }: Job, { why, left, until }: Question) =>
  decisionNotice(start.operation, {
    instanceId: lease?.instanceId ?? null,
    failure: { stage, why, left },
    decideBy: new Date(until).toISOString(),
  });

/** A decision that did not count makes room for another one. */
async function show(job: Job, question: Question, callbackId: string, isFirst: boolean): Promise<void> {
  const { why, left, until, unjudgedBy } = question;
  const { steps, stage, node, lease } = job;
  if (lease) await steps.ledger.awaitMachine(lease.instanceId, callbackId);
  await record(job, {
    status: "deciding",
    waitsFor: null,
    failure: { stage, why, left },
    decideBy: new Date(until).toISOString(),
    callbacks: { decision: callbackId, cancel: callbackId },
    ...(unjudgedBy === null ? {} : { unjudgedBy }),
    ...(isFirst ? { failedAt: steps.timestamp() } : { decided: null }),
  });
  if (node && isFirst)
    await steps.nodes.announce(node, "Warning", "CasementProvisioningFailed", `stage ${stage}: ${why}`);
}

/**
 * Minutes may lie between what the front door knew of somebody and the click, so they are judged again. While nobody can say
 * whether they may, because the rules cannot be read or Slack cannot be asked, nothing follows from the click but that
 * the machine is not terminated by the clock.
 */
async function judge(job: Job, pressed: Pressed, round: number): Promise<"counts" | "does not count" | "unjudged"> {
  try {
    const counts = await once(job, `judge the decision ${round}`, () => mayCount(job, pressed));
    return counts ? "counts" : "does not count";
  } catch (error) {
    const why = causeOf(error).message;
    console.error(`the decision of ${pressed.userId} could not be judged`, why);
    await once(job, `say that nobody could judge it ${round}`, () => sayUnjudged(job, pressed, why));
    return "unjudged";
  }
}

async function mayCount(job: Job, { decision, userId }: Pressed): Promise<boolean> {
  const { steps, start } = job;
  if (decision === "cancel") return (await cancelledBy(steps, start.operation)) !== null;
  if (!(await mayDecide(steps, userId, "add"))) return false;
  await hear(job, decision, userId);
  return true;
}

/** In the thread for everybody, and to the one who pressed. */
async function sayUnjudged(job: Job, { decision, userId }: Pressed, why: string): Promise<void> {
  const words = decisionUnjudged(decision, why);
  await remark(job, [words]);
  await whisper(job, userId, say(plain(words, 1_000)));
}

/** The message shows it a moment later: until then the person should know that the click was heard. */
const hear = (job: Job, decision: Pressed["decision"], userId: string): Promise<void> =>
  whisper(job, userId, decisionHeard(job.lease?.instanceId ?? "the machine", decision === "keep"));

const whisper = ({ steps, runtime }: Job, userId: string, message: Message): Promise<void> =>
  steps.thread.whisper(runtime.configuration.slack.channel, userId, message).catch((error: unknown) => {
    console.error("the answer to a click was lost", error);
  });
