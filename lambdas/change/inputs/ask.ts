import type { Configuration } from "../../configuration/configuration.ts";
import { step } from "../../engine/durable.ts";
import type { Input, InputContent } from "../../inputs/input.ts";
import { type InputAnswers, type InputQuestion, keysToAsk } from "../../inputs/questions.ts";
import type { NotApproved } from "../../messages/approval/approval.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { inputApproved, inputCard } from "../../messages/operation/input-questions.ts";
import { idOf, openOperation, startOf } from "../../steps/open-operation.ts";
import type { Steps } from "../../steps/steps.ts";
import { type ApprovalEnd, approve } from "../approval/approval.ts";
import { endUnapproved, endUnbegun } from "../approval/unapproved.ts";
import { beginOperation } from "../operation/lifecycle.ts";
import type { DurableSteps, Op } from "../operation/op.ts";

/** An input of which parts may wait for an approval. */
interface Asking extends DurableSteps {
  readonly input: Input;
  readonly configuration: Configuration;
  readonly tick: string;
  /** Identity of the content. */
  readonly sha256: string;
}

const openingOf = ({ input, tick, configuration: { cluster, slack } }: Asking) => ({
  request: input.request,
  cause: `${tick} approval`,
  cluster: cluster.name,
  channel: slack.channel,
});

/** Finds the parts about which people must be asked now; empty if nobody is to be asked. Call inside a step. */
export async function keysDue(steps: Steps, answers: InputAnswers): Promise<readonly string[]> {
  const last = answers.question ? await steps.ledger.operation(answers.question.operation) : undefined;
  return keysToAsk(last ? answers : { ...answers, question: null }, last?.endedAt === null, steps.now());
}

/** Finds the request that this tick opens; null if nobody is to be asked now. Call inside a step. */
async function findQuestion(asking: Asking, { asked = [], approvable = [] }: InputContent) {
  const { steps, input } = asking;
  const watch = steps.inputWatches.of(input.rule);
  const answers = await watch.noteAsked({ asked, approvable });
  const operation = idOf(openingOf(asking));
  if (answers.question?.operation === operation) return answers.question;
  const keys = await keysDue(steps, answers);
  if (keys.length === 0) return null;
  const question: InputQuestion = { operation, keys, askedAt: steps.now() };
  return (await watch.noteQuestion(question, answers.question)) ? question : null;
}

/** Opens and begins the operation whose message is the card. Call inside a step. */
async function begin(asking: Asking): Promise<Pick<Op, "start" | "settings"> | null> {
  const { ctx, steps, input } = asking;
  const { record } = await openOperation(steps, { by: "rule", rule: input.rule }, openingOf(asking));
  const start = startOf(record);
  const settings = await beginOperation({ ctx, steps, start });
  return settings && { start, settings };
}

const contentOf = ({ steps, input, sha256 }: Asking): Promise<InputContent> => steps.inputStore.get(input, sha256);

/** Words about the parts, in the order of their keys. */
const wordsOf = ({ asked = [], questions = [] }: InputContent, keys: readonly string[]): readonly string[] =>
  keys.map((key) => questions[asked.indexOf(key)] ?? key);

/** Asks for the approval, which is bound to the keys. */
async function ask(op: Op, asking: Asking, question: InputQuestion, approval: string): Promise<ApprovalEnd> {
  const { keys } = question;
  const { words, rule } = asking.input;
  return approve(op, {
    command: approval,
    pool: null,
    judge: async () => ({
      record: { action: approval, options: { keys: [...keys] }, nodes: [], losses: [], blockers: [] },
      pods: 0,
      card: inputCard(words, wordsOf(await contentOf(asking), keys)),
    }),
    isOutdated: async () => {
      const last = (await op.steps.inputWatches.of(rule).read()).question;
      return last?.operation !== question.operation;
    },
  });
}

/** Records the decision, by which the next tick makes the content. Call inside a step. */
async function decide({ steps, input: { rule } }: Asking, keys: readonly string[], { kind }: ApprovalEnd) {
  if (kind === "approved" || kind === "denied") await steps.inputWatches.of(rule).decide(kind, keys);
}

/**
 * By schedule: asks people to approve the parts of a content that nodes do not get before, and waits for the decision.
 * The next tick gives nodes what was approved.
 */
export async function askForApproval(asking: Asking): Promise<void> {
  const { ctx, steps, input } = asking;
  const { approval, request, words } = input;
  if (approval === undefined) return;
  const question = await step(ctx, "see what waits for an approval", async () =>
    findQuestion(asking, await contentOf(asking)),
  );
  const opened = question && (await step(ctx, "open the request", () => begin(asking)));
  if (!question || !opened) return;
  const op: Op = { ctx, steps, request, ...opened };
  const end = await ask(op, asking, question, approval);
  await step(ctx, "record the decision", () => decide(asking, question.keys, end));
  if (isNotApproved(end)) return endUnapproved(op, end, typeThis("reconcile"));
  await endUnbegun(op, { status: "succeeded", summary: inputApproved(words) });
}

const isNotApproved = (end: ApprovalEnd): end is NotApproved => !("record" in end) && end.kind !== "undecided";
