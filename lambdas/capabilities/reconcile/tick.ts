import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { keysDue } from "../../change/inputs/ask.ts";
import { findDue, ledgerReads } from "../../change/inputs/due.ts";
import { isForAnother, readContent } from "../../change/inputs/read.ts";
import { reconcileInput } from "../../change/inputs/reconcile.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { readOnce } from "../../engine/chunks.ts";
import { step } from "../../engine/durable.ts";
import type { FoundObjects, Input, InputContent, ObjectReference } from "../../inputs/input.ts";
import { clusterInputs } from "../../inputs/list.ts";
import { hasAsked } from "../../inputs/questions.ts";
import type { InputName } from "../../records/machine-record.ts";
import { hasNews, type InputWatch } from "../../steps/input-watches.ts";
import type { Steps } from "../../steps/steps.ts";

/** Objects of the cluster, each of which is read once. */
function objectsOnce({ inputObjects }: Steps): Steps["inputObjects"]["read"] {
  const known = new Map<string, () => Promise<FoundObjects>>();
  const read = async (reference: ObjectReference): Promise<readonly unknown[]> => {
    const key = JSON.stringify(reference);
    const found = known.get(key) ?? readOnce(() => inputObjects.read([reference]));
    known.set(key, found);
    return (await found())[0] ?? [];
  };
  return (references) => Promise.all(references.map(read));
}

/** Verbs that read the nodes, the machines' records and each object once, for all inputs of one step. */
const readingOnce = (steps: Steps): Steps => ({
  ...steps,
  nodes: { ...steps.nodes, all: readOnce(() => steps.nodes.all()) },
  machines: {
    ...steps.machines,
    given: { ...steps.machines.given, all: readOnce(() => steps.machines.given.all()) },
  },
  inputObjects: { ...steps.inputObjects, read: objectsOnce(steps) },
});

/** Must people be asked about parts of a content, or are answers about parts that it no longer has? */
async function needsAnswers(steps: Steps, { approval }: Input, content: InputContent, watch: InputWatch) {
  if (approval === undefined) return false;
  const { asked = [], approvable = [] } = content;
  return !hasAsked(watch, { asked, approvable }) || (await keysDue(steps, watch)).length > 0;
}

/**
 * Does a tick have work on an input: nodes that differ, news for people, or a question to them? If the API server does
 * not answer, the next tick looks again. Call inside a step.
 */
async function hasWork(steps: Steps, input: Input, configuration: Configuration): Promise<boolean> {
  const wish = { input, configuration, isRequested: false };
  const reads = ledgerReads(steps, input);
  try {
    const content = await readContent(steps, wish, reads, true);
    if (content === null) return false;
    const watch = await reads.watch();
    if (hasNews(watch, content.remarks ?? []) || (await needsAnswers(steps, input, content, watch))) return true;
    const due = await findDue(steps, wish, content, reads);
    return due.isWhole || due.nodes.length > 0;
  } catch (error) {
    // The work on the input meets the error again, and notifies people of it.
    return !isForAnother(error);
  }
}

/** Finds the inputs on which a tick has work. Call inside a step. */
async function inputsWithWork(steps: Steps, inputs: readonly Input[]): Promise<readonly InputName[]> {
  const { configuration } = await steps.runtime.read(null);
  const once = readingOnce(steps);
  const found = await Promise.all(
    inputs.map(async (input) => ((await hasWork(once, input, configuration)) ? [input.name] : [])),
  );
  return found.flat();
}

/**
 * By schedule: reads the inputs of the cluster together, and works on those that need it, each by itself. An input that
 * cannot be read, or whose change fails, does not keep the others from nodes.
 * @param tick id of the event
 * @throws the error of an input, once the work on all of them has ended
 */
export async function reconcileByRule(
  { ctx, steps }: { readonly ctx: DurableContext; readonly steps: Steps },
  tick: string,
  inputs: readonly Input[] = clusterInputs,
): Promise<void> {
  const names = await step(ctx, "find the inputs that need work", () => inputsWithWork(steps, inputs));
  if (names.length === 0) return;
  const ended = await ctx.map(
    "give the inputs",
    inputs.filter(({ name }) => names.includes(name)),
    // Two inputs of one tick are two operations.
    (child, input) => reconcileInput({ ctx: child, steps }, input, `${tick} ${input.rule}`),
    { itemNamer: ({ words }) => words.noun, completionConfig: { toleratedFailurePercentage: 100 } },
  );
  ended.throwIfError();
}
