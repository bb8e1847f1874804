import { decisionHeard } from "../../messages/answers.ts";
import { decisionNotice } from "../../messages/notices.ts";
import { cancelledBy, mayDecide } from "../asker.ts";
import { callPeople } from "../call-people.ts";
import { causeOf, MINUTE } from "../durably.ts";
import { type Job, once, record } from "./job.ts";

/** What a person, the clock or a cancellation decided about a failed machine. */
export interface Decision {
  readonly decision: "keep" | "terminate" | "cancel" | "time";
  /** Null when the time was up. */
  readonly userId: string | null;
}

/** What is asked: why it failed, what was left, and until when somebody may decide (milliseconds since the epoch). */
interface Question {
  readonly why: string;
  readonly left: string;
  readonly until: number;
}

const TIME_IS_UP: Decision = { decision: "time", userId: null };

/**
 * Asks in the message what becomes of a failed machine, until somebody decides who may, or the time is up.
 * @param why what failed, in the machine's own words
 * @param left how things are left meanwhile
 */
export async function askWhatBecomesOfIt(job: Job, why: string, left: string): Promise<Decision> {
  const minutes = job.runtime.configuration.deadlines.keepFailed;
  const until = await once(job, "how long it is kept", async () => job.steps.now() + minutes * MINUTE);
  for (let round = 1; ; round += 1) {
    const decision = await ask(job, { why, left, until }, round);
    if (decision.userId === null || (await isValid(job, decision.decision, decision.userId, round))) return decision;
  }
}

async function ask(job: Job, question: Question, round: number): Promise<Decision> {
  const { ctx, steps } = job;
  const seconds = await once(job, `time to decide ${round}`, async () =>
    Math.max(1, Math.ceil((question.until - steps.now()) / 1000)),
  );
  const [decided, callbackId] = await ctx.createCallback<Decision>(`what becomes of the machine ${round}`, {
    timeout: { seconds },
    serdes: { deserialize: async (text) => (text ? (JSON.parse(text) as Decision) : undefined) },
  });
  await once(job, `ask what becomes of the machine ${round}`, () => show(job, question, callbackId, round === 1));
  if (round === 1) await callPeople(ctx, steps, "decide", noticeOf(job, question));
  try {
    return await decided;
  } catch {
    return TIME_IS_UP;
  }
}

const noticeOf = ({ start, stage, lease }: Job, { why, left, until }: Question) =>
  decisionNotice(start.operation, {
    instanceId: lease?.instanceId ?? null,
    failure: { stage, why, left },
    decideBy: new Date(until).toISOString(),
  });

/** A decision that did not count makes room for another one. */
async function show(job: Job, { why, left, until }: Question, callbackId: string, isFirst: boolean): Promise<void> {
  const { steps, stage, node } = job;
  await record(job, {
    status: "deciding",
    waitsFor: null,
    failure: { stage, why, left },
    decideBy: new Date(until).toISOString(),
    callbacks: { decision: callbackId, cancel: callbackId },
    ...(isFirst ? { failedAt: steps.timestamp() } : { decided: null }),
  });
  if (node && isFirst)
    await steps.nodes.announce(node, "Warning", "CasementProvisioningFailed", `stage ${stage}: ${why}`);
}

/** Minutes may lie between what the front door knew of somebody and the click; what cannot be read now means no. */
async function isValid(job: Job, decision: Decision["decision"], userId: string, round: number): Promise<boolean> {
  const { steps, start } = job;
  try {
    return await once(job, `judge the decision ${round}`, async () => {
      if (decision === "cancel") return (await cancelledBy(steps, start.operation)) !== null;
      if (!(await mayDecide(steps, userId, "add"))) return false;
      await hear(job, decision, userId);
      return true;
    });
  } catch (error) {
    console.error(`the decision of ${userId} could not be judged`, causeOf(error));
    return false;
  }
}

/** The message shows it a moment later: until then the person should know that the click was heard. */
async function hear({ steps, lease, runtime }: Job, decision: Decision["decision"], userId: string): Promise<void> {
  const message = decisionHeard(lease?.instanceId ?? "the machine", decision === "keep");
  await steps.thread.whisper(runtime.configuration.slack.channel, userId, message).catch((error: unknown) => {
    console.error("the answer to a click was lost", error);
  });
}
