import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Configuration } from "../../configuration/configuration.ts";
import { COMPARE_MINUTES } from "../../configuration/fleet-minutes.ts";
import { chunksOf, numbered, readOnce } from "../../engine/chunks.ts";
import { step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import type { LineReading } from "../../engine/fleet-batch.ts";
import { observeFleet } from "../../engine/run-fleet.ts";
import { type Input, type InputContent, needsInput, valueFor } from "../../inputs/input.ts";
import type { FileObservation } from "../../machine/plan.ts";
import { inputNewsMessage, inputRemarksMessage, inputUnreadNotice } from "../../messages/operation/inputs.ts";
import { idOf, type OperationOpening } from "../../steps/open-operation.ts";
import type { Steps } from "../../steps/steps.ts";
import { changeByRule, type Rule, startedBy } from "../fleet/by-rule.ts";
import { askForApproval } from "./ask.ts";
import { claimInput } from "./claim.ts";
import { type DueNode, unchangedNodes } from "./due.ts";
import { type InputReading, readInPages } from "./read.ts";
import { inputRow } from "./row.ts";

/** One tick of a schedule, for one input. */
interface Tick {
  readonly ctx: DurableContext;
  readonly steps: Steps;
  readonly tick: string;
  readonly input: Input;
}

/** Notifies people that the input cannot be read, that it can be read again, or of remarks on it. */
async function notify(
  { ctx, steps, tick, input }: Tick,
  { slack }: Configuration,
  { news, why, remarks }: InputReading,
): Promise<void> {
  const { rule, words } = input;
  if (news === "bad") await escalate(ctx, steps, `the ${words.noun}`, inputUnreadNotice(words, why));
  const posts = [
    ...(news ? [{ name: "tell the channel", mark: rule, message: inputNewsMessage(words, news, why) }] : []),
    ...(remarks.length > 0
      ? [{ name: "post the remarks", mark: `${rule} remarks`, message: inputRemarksMessage(words, remarks) }]
      : []),
  ];
  // Slack may be unavailable: people were notified by SNS as well.
  for (const { name, mark, message } of posts)
    await step(ctx, name, async () => {
      await steps.thread.post(slack.channel, message, `${mark} ${tick}`);
    }).catch(() => undefined);
}

function readFile(result: object): LineReading<string> {
  const { ok, error, files } = result as Partial<FileObservation>;
  if (ok === true) return { value: files?.[0]?.sha256 ?? "missing" };
  return { why: error ?? "observe.ps1 does not say why it could not look" };
}

/** One comparison of nodes' files with a content. */
interface Comparison extends Tick {
  readonly contentOf: () => Promise<InputContent>;
}

/** Records nodes that already have the file: an interrupted execution may have changed a node without recording it. */
async function recordSame({ ctx, steps, input, contentOf }: Comparison, same: readonly DueNode[]): Promise<void> {
  const known = readOnce(() => steps.machines.given.all());
  const chunks = same.length > 0 ? chunksOf(same) : [[]];
  for (const [at, chunk] of chunks.entries())
    await step(ctx, numbered("record nodes that have it", at), async () => {
      const [given, content] = [await known(), await contentOf()];
      const needs = needsInput(input, content);
      for (const { instanceId } of chunk) {
        if (needs(given.get(instanceId)?.[input.name]))
          await steps.machines.given.record(instanceId, `${input.rule}:0`, input.name, (had) =>
            valueFor(input, content, had),
          );
      }
    });
}

/** Reads the file on each node. @returns nodes whose file differs; a node that does not answer is left out */
async function findDiffering(
  comparison: Comparison,
  nodes: readonly DueNode[],
  { path, wanted }: { readonly path: string; readonly wanted: string },
): Promise<readonly DueNode[]> {
  const { ctx, steps, tick } = comparison;
  const request = { files: [path] };
  const seen = await observeFleet<string>(
    ctx,
    steps,
    nodes.map(({ instanceId }) => ({ instanceId, request })),
    { owner: `look ${tick}`, name: "look", minutes: COMPARE_MINUTES, cancelledBy: async () => null, read: readFile },
  );
  const hashOf = ({ instanceId }: DueNode): string | null => {
    const outcome = seen.get(instanceId);
    return outcome?.state === "done" ? outcome.value : null;
  };
  await recordSame(
    comparison,
    nodes.filter((node) => hashOf(node) === wanted),
  );
  return nodes.filter((node) => hashOf(node) !== null && hashOf(node) !== wanted);
}

/** The schedule's rule, under which the operation of an opening begins. */
const ruleOf = (steps: Steps, { rule, words }: Input, opening: OperationOpening): Rule => ({
  origin: { by: "rule", rule },
  opening,
  words,
  claim: () => claimInput(steps, rule, idOf(opening)),
});

/** A content that was read. */
interface ReadContent {
  readonly configuration: Configuration;
  readonly sha256: string;
  readonly due: InputReading["due"];
}

/** Gives nodes that differ from a content the new one: one first, then the rest. */
async function giveByRule(
  { ctx, steps, tick, input }: Tick,
  { configuration, sha256, due }: ReadContent,
): Promise<void> {
  const contentOf = readOnce(() => steps.inputStore.get(input, sha256));
  const path = input.comparedFile(configuration);
  const isCompared = path !== null && due.nodes.length > 0;
  const comparison = { ctx, steps, tick, input, contentOf };
  const nodes = isCompared ? await findDiffering(comparison, due.nodes, { path, wanted: sha256 }) : due.nodes;
  if (due.isWhole) await step(ctx, "note the look", () => steps.inputWatches.of(input.rule).noteComparison());
  if (nodes.length === 0) return;
  const { cluster, slack } = configuration;
  const opening = { request: input.request, cause: tick, cluster: cluster.name, channel: slack.channel };
  const rule = ruleOf(steps, input, opening);
  const op = { ctx, steps, operation: idOf(opening) };
  const readRecords = readOnce(() => steps.machines.given.all());
  const stillDue = async (due: readonly DueNode[]) => unchangedNodes(input, due, await readRecords());
  const row = inputRow(op, { input, sha256, configuration }, startedBy<DueNode>(op, rule, stillDue));
  await changeByRule(op, rule, row, nodes);
}

/**
 * By schedule: reads an input, gives nodes that differ from it the new content, and asks people about the parts that
 * need an approval.
 * @param tick id of the event: a tick that is delivered twice starts one comparison
 */
export async function reconcileInput(
  { ctx, steps }: Pick<Tick, "ctx" | "steps">,
  input: Input,
  tick: string,
): Promise<void> {
  const configuration = await step(ctx, "read the configuration", async () => {
    const { configuration } = await steps.runtime.read(null);
    return configuration;
  });
  const reading = await readInPages(ctx, steps, { input, configuration, isRequested: false }, tick);
  await notify({ ctx, steps, tick, input }, configuration, reading);
  const { sha256, due } = reading;
  if (sha256 === null) return;
  await giveByRule({ ctx, steps, tick, input }, { configuration, sha256, due });
  await askForApproval({ ctx, steps, tick, input, configuration, sha256 });
}
