import { changeOrSettle, watchedBy } from "../../change/fleet/requested.ts";
import { claimInput } from "../../change/inputs/claim.ts";
import { type DueNode, unchangedNodes } from "../../change/inputs/due.ts";
import { inputRow, type StartedParts, stageOf } from "../../change/inputs/row.ts";
import type { Op } from "../../change/operation/op.ts";
import { publishWatched } from "../../change/operation/progress.ts";
import { postFirst } from "../../change/operation/publisher.ts";
import { cancelledBy } from "../../change/operation/requester.ts";
import type { Request } from "../../commands/request.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { readOnce } from "../../engine/chunks.ts";
import { causeOf, kindOf, step } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import type { Input } from "../../inputs/input.ts";
import { type InputEnd, otherOperationChanges } from "../../messages/operation/reconcile.ts";
import type { PublishedMessage } from "../../records/records.ts";

/** An operation that a person started. */
export type ReconcileOperation = Op<Extract<Request, { command: "reconcile" }>>;

/** An input as an operation of a person has read it. */
export interface RequestedInput {
  readonly input: Input;
  /** Identity of the content; empty if it was refused. */
  readonly sha256: string;
  readonly nodes: readonly DueNode[];
  /** The refusal with which it was read; null if it was read. */
  readonly refusal: unknown;
  /** May the person accept the content's consequences? */
  readonly mayAccept?: boolean;
}

/** An input with its end, and the refusal that ended it. */
export interface GivenInput {
  readonly input: Input;
  readonly end: InputEnd;
  readonly refusal: unknown;
}

/** An input that no node got. */
type NotGiven = Pick<GivenInput, "end" | "refusal">;

/** The operation's message; null as long as no node is changed. */
interface Published {
  readonly published: PublishedMessage | null;
}

const refusedBy = (refusal: unknown): NotGiven => ({
  end: { state: "refused", why: causeOf(refusal).message },
  refusal,
});

/** Is an error a reason to leave one input out, and to give nodes the others? */
export const isRefusal = (error: unknown): boolean => kindOf(error) === "Refused";

/** End of a node's record, by the outcome of its machine. */
const endOf =
  (input: Input): StartedParts["endOf"] =>
  (outcome) => {
    if (outcome.state === "changed") return { status: "succeeded", outcome: null };
    if (outcome.state !== "failed") return { status: "cancelled", outcome: outcome.why, failure: null };
    const { state: _state, ...reason } = outcome;
    return { status: "failed", failure: { stage: stageOf(input), ...reason, left: input.words.left } };
  };

/** Posts the operation's message, or updates it if an input before has posted it. */
async function publishClaim(op: ReconcileOperation, before: PublishedMessage | null): Promise<PublishedMessage> {
  if (before === null) return postFirst(op.steps, op.start.operation, null, op.settings);
  return (await publishWatched(watchedBy(op), before)) ?? before;
}

/**
 * The parts of a row for an operation of a person: it leaves leased machines to the operation that holds them, and
 * machines that were changed since the input was read.
 */
function startedByPerson(op: ReconcileOperation, input: Input, before: PublishedMessage | null): StartedParts {
  const readRecords = readOnce(() => op.steps.machines.given.all());
  return {
    choose: async (nodes) => unchangedNodes(input, nodes, await readRecords()),
    onHeld: () => ({ state: "untouched", why: "another operation works on it" }),
    onClaimed: async (count) => (count > 0 ? publishClaim(op, before) : before),
    endOf: endOf(input),
  };
}

/** @throws Refused while another operation changes the same input on nodes */
async function claim({ steps, start: { operation } }: ReconcileOperation, input: Input): Promise<void> {
  if (await claimInput(steps, input.rule, operation)) return;
  const watch = await steps.inputWatches.of(input.rule).read();
  throw new Refused(otherOperationChanges(input.words, watch.operation ?? ""));
}

/** Place of an input in its operation. */
interface Place {
  readonly configuration: Configuration;
  /** Makes the names of its steps and commands. */
  readonly nameOf: (name: string) => string;
  readonly firstIndex: number;
  readonly published: PublishedMessage | null;
}

/** @returns the reason why the input may not be given now; null if the operation has claimed it */
async function whyNot(op: ReconcileOperation, input: Input, { nameOf, published }: Place): Promise<NotGiven | null> {
  const { ctx, steps, start } = op;
  const isLater = published !== null;
  const ask = () => cancelledBy(steps, start.operation);
  if (isLater && (await step(ctx, nameOf("ask whether it was cancelled"), ask)) !== null)
    return { end: { state: "not-begun" }, refusal: null };
  try {
    await step(ctx, nameOf("claim"), () => claim(op, input));
    return null;
  } catch (error) {
    if (isRefusal(error)) return refusedBy(error);
    throw error;
  }
}

/** Gives nodes one input. */
async function giveOne(op: ReconcileOperation, one: RequestedInput, place: Place): Promise<GivenInput & Published> {
  const { input, sha256, nodes, refusal, mayAccept } = one;
  const { published, ...facts } = place;
  const unchanged = (not: NotGiven) => ({ input, ...not, published });
  if (refusal !== null) return unchanged(refusedBy(refusal));
  if (nodes.length === 0) return unchanged({ end: { state: "current" }, refusal });
  const not = await whyNot(op, input, place);
  if (not !== null) return unchanged(not);
  const fleet = { ctx: op.ctx, steps: op.steps, operation: op.start.operation };
  const wish = { isRequested: true, mayAccept };
  const row = inputRow(fleet, { input, sha256, wish, ...facts }, startedByPerson(op, input, published));
  const { result, published: after } = await changeOrSettle(fleet, row, nodes);
  return { input, end: result === null ? { state: "held" } : { state: "ended", result }, refusal, published: after };
}

/**
 * Gives nodes every input in turn. The next one is tried although one before was refused, or failed on its first node.
 */
export async function giveInTurn(
  op: ReconcileOperation,
  configuration: Configuration,
  requested: readonly RequestedInput[],
): Promise<Published & { readonly inputs: readonly GivenInput[] }> {
  const inputs: GivenInput[] = [];
  let published: PublishedMessage | null = null;
  let firstIndex = 0;
  for (const one of requested) {
    const { noun } = one.input.words;
    const nameOf = firstIndex === 0 ? (name: string) => name : (name: string) => `${name} of the ${noun}`;
    const { published: after, ...given }: GivenInput & Published = await giveOne(op, one, {
      configuration,
      nameOf,
      firstIndex,
      published,
    });
    inputs.push(given);
    published = after;
    firstIndex += one.nodes.length;
  }
  return { inputs, published };
}
