import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { everyChunk, numbered, pageAfter } from "../../engine/chunks.ts";
import { step } from "../../engine/durable.ts";
import { NO_NODE_CHANGED, Refused, UserError } from "../../errors.ts";
import { contentHash, type FoundObjects, type InputContent } from "../../inputs/input.ts";
import { clusterInputs } from "../../inputs/list.ts";
import { isAbsent, isBusy, refusesCredential, wordsOf } from "../../steps/client-errors.ts";
import { inputContent, inputFound } from "../../steps/input-content.ts";
import type { InputWatch } from "../../steps/input-watches.ts";
import type { Steps } from "../../steps/steps.ts";
import { type Due, type DueNode, findDue, type LedgerReads, ledgerReads, type Wish } from "./due.ts";

/** Outcome of reading an input and the nodes, with the news for people. */
export interface InputReading {
  /** Identity of the content; null if the input cannot be read, or is not applied. */
  readonly sha256: string | null;
  readonly due: Due;
  readonly why: string;
  readonly news: InputWatch["news"];
  /** Remarks on the content that were not posted before. */
  readonly remarks: readonly string[];
}

const nothing: Omit<InputReading, "why" | "news"> = { sha256: null, due: { isWhole: false, nodes: [] }, remarks: [] };

/** Keeps what only machines may read of the objects in the input's secret. */
async function keepSecret(steps: Steps, { input, configuration }: Wish, found: FoundObjects): Promise<void> {
  const fields = input.secretFields?.(found, configuration);
  const secretId = input.secretOf?.(configuration);
  if (fields === undefined || secretId === undefined) return;
  await steps.keptSecrets.keep(secretId, fields, await steps.inputWatches.of(input.rule).secretKey());
}

/**
 * Reads an input's content, and keeps it in the bucket. Call inside a step.
 * @param keepsSecret keeps what only machines may read first, which one function may do
 * @returns null if the configuration does not apply the input
 * @throws Refused if the content cannot be read, or is doubtful
 */
export async function readContent(
  steps: Steps,
  { input, configuration, isRequested, mayAccept = isRequested }: Wish,
  reads: LedgerReads = ledgerReads(steps, input),
  keepsSecret = false,
): Promise<InputContent | null> {
  const found = await inputFound(steps.inputObjects, input, configuration);
  if (found === null) return null;
  if (keepsSecret) await keepSecret(steps, { input, configuration, isRequested }, found);
  const given = [...(await reads.given()).values()].flatMap((one) => one[input.name] ?? []);
  const { stored, asked, ...watched } = await reads.watch();
  // A dry run shows what the change would do, which accepts the consequences.
  const accepted = mayAccept && input.approval === undefined ? [...watched.accepted, ...asked] : watched.accepted;
  const facts = { configuration, given, now: steps.now(), isRequested, accepted };
  const content = await inputContent(input, found, facts, steps);
  const whole = contentHash(content);
  if (stored !== whole) {
    await steps.inputStore.put(input, content);
    await steps.inputWatches.of(input.rule).noteStored(whole);
  }
  return content;
}

/** Tells whether the next tick may succeed without a person. About a refused credential, the credential watch calls people. */
export const isForAnother = (error: unknown): boolean => isBusy(error) || refusesCredential(error);

/** Does the input follow from the ConfigMap that has every input, which the cluster lacks? */
const isWithoutSource = ({ input, configuration }: Wish, error: unknown): boolean =>
  configuration.cluster.inputs === "configmap" &&
  clusterInputs.includes(input) &&
  error instanceof Refused &&
  isAbsent(error.cause);

/**
 * Records that an input could not be read. Of the inputs that lost their common source, the first one calls people.
 * @returns the message to post, and the reason
 */
async function unreadNews(
  steps: Steps,
  wish: Wish,
  tick: string,
  error: unknown,
): Promise<Pick<InputReading, "news" | "why">> {
  const watch = steps.inputWatches.of(wish.input.rule);
  const isCommon = isWithoutSource(wish, error);
  const [first, ...others] = clusterInputs;
  const isLeft = isForAnother(error) || (isCommon && wish.input !== first);
  const names = others.map(({ words }) => words.noun).join(" and the ");
  const why =
    isCommon && wish.input === first ? `${wordsOf(error)}; the ${names} come from it as well` : wordsOf(error);
  return { news: await watch.note(tick, isLeft ? "busy" : "refused"), why };
}

/** @throws Refused when a service permanently refuses to list the nodes; UserError about a name that a person typed */
async function dueOrRefused(steps: Steps, wish: Wish, content: InputContent, reads: LedgerReads): Promise<Due> {
  try {
    return await findDue(steps, wish, content, reads);
  } catch (error) {
    if (error instanceof UserError || isForAnother(error)) throw error;
    const why = `the nodes that need it cannot be listed: ${wordsOf(error)}, ${NO_NODE_CHANGED}`;
    throw new Refused(why, { cause: error });
  }
}

/**
 * Reads the content that an input wants, and the nodes that are due. If the content is refused or damaged, or the nodes
 * cannot be listed, people are notified and no node is changed. A person who asked gets the error instead.
 * @param tick id of the tick, which gets the same news when it is repeated
 */
export async function readInput(steps: Steps, wish: Wish, tick: string): Promise<InputReading> {
  const watch = steps.inputWatches.of(wish.input.rule);
  try {
    const reads = ledgerReads(steps, wish.input);
    const content = await readContent(steps, wish, reads, true);
    if (content === null) return { ...nothing, why: "", news: null };
    const due = await dueOrRefused(steps, wish, content, reads);
    // The bucket may have lost the object, and only a change needs it.
    if (due.nodes.length > 0) await steps.inputStore.put(wish.input, content);
    const read = { sha256: content.sha256, due, why: "" };
    if (wish.isRequested) return { ...read, news: null, remarks: content.remarks ?? [] };
    const { remarks = [], asked = [] } = content;
    return { ...read, ...(await watch.noteRead(await reads.watch(), tick, { remarks, asked })) };
  } catch (error) {
    if (wish.isRequested) throw error;
    return { ...nothing, ...(await unreadNews(steps, wish, tick, error)) };
  }
}

const uidOf = ({ uid }: DueNode): string => uid;

/**
 * Reads the same, with 50 nodes per step. The nodes are listed once, and again only if an interruption lost the list.
 */
export async function readInPages(ctx: DurableContext, steps: Steps, wish: Wish, tick: string): Promise<InputReading> {
  const name = `read the ${wish.input.words.noun}`;
  let listed: readonly DueNode[] | undefined;
  const first = await step(ctx, name, async () => {
    const { due, ...read } = await readInput(steps, wish, tick);
    listed = due.nodes;
    const { items, ...more } = pageAfter(due.nodes, [], uidOf);
    return { ...read, due: { isWhole: due.isWhole, nodes: items, ...more } };
  });
  // The last release's result has neither an identity nor remarks.
  const { sha256 = null, remarks = [], due } = first;
  if (sha256 === null) return { ...first, sha256, remarks };
  const nodes = await everyChunk<DueNode>(async (at, before) => {
    if (at === 0) return { ...due, items: due.nodes };
    return step(ctx, numbered(name, at), async () => {
      listed ??= (await findDue(steps, wish, await steps.inputStore.get(wish.input, sha256))).nodes;
      return pageAfter(listed, before, uidOf);
    });
  });
  return { ...first, due: { isWhole: due.isWhole, nodes } };
}
