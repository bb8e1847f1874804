import { changeRequested, checkPools } from "../../change/fleet/requested.ts";
import type { Wish } from "../../change/inputs/due.ts";
import { readInPages } from "../../change/inputs/read.ts";
import { namedNodes, nodesOfPool } from "../../change/node/find-node.ts";
import { showOnly, tellRequester } from "../../change/operation/lifecycle.ts";
import type { Execution } from "../../change/operation/op.ts";
import { checkOrigin } from "../../change/operation/requester.ts";
import { hasPoolPolicies } from "../../commands/approvals.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { causeOf, step } from "../../engine/durable.ts";
import { Forbidden, UserError } from "../../errors.ts";
import type { Input } from "../../inputs/input.ts";
import { clusterInputs } from "../../inputs/list.ts";
import { alreadyInOrder } from "../../messages/operation/dry-runs.ts";
import {
  consequencesLeft,
  everyNodeLeft,
  inputsNotApplied,
  type LeftOutNode,
  nothingToChange,
  reconcileDryRun,
  requestedSummary,
  writtenOutcome,
} from "../../messages/operation/reconcile.ts";
import { requesterOf } from "../../records/origin.ts";
import type { Message, OperationStatus, PublishedMessage } from "../../records/records.ts";
import { type GivenInput, giveInTurn, isRefusal, type ReconcileOperation, type RequestedInput } from "./give.ts";
import { leftOutNodes } from "./left-out.ts";

/**
 * Selects the requested nodes.
 * @throws UserError when a name matches no node or several, or a pool has no node
 */
const select =
  ({ targets }: ReconcileOperation["request"]): NonNullable<Wish["select"]> =>
  async (nodes, machines) => {
    if (targets.kind === "all") return nodes;
    if (targets.kind === "nodes") return namedNodes(targets.nodes, nodes);
    return nodesOfPool(targets.pool, nodes, await machines());
  };

/** May the requester reconcile the nodes of every pool? A consequence that is accepted holds for all of them. */
async function mayReconcileAll(op: ReconcileOperation): Promise<boolean> {
  const rules = await op.steps.runtime.rules();
  if (!hasPoolPolicies(rules)) return true;
  try {
    for (const pool of [null, ...Object.keys(rules.pools ?? {})]) await checkOrigin(op, rules, pool);
    return true;
  } catch (error) {
    if (error instanceof Forbidden) return false;
    throw error;
  }
}

/**
 * Tells the requester which inputs wait for another person; those that people approve by vote have a request of their own. A lost
 * message changes nothing.
 */
async function sayNotAccepted({ steps, start }: ReconcileOperation, inputs: readonly Input[]): Promise<void> {
  const waiting: Input[] = [];
  for (const input of inputs.filter(({ approval }) => approval === undefined))
    if ((await steps.inputWatches.of(input.rule).read()).asked.length > 0) waiting.push(input);
  const requester = requesterOf(start);
  if (!requester || waiting.length === 0) return;
  const message = consequencesLeft(waiting.map(({ words }) => words));
  await steps.thread.sendEphemeral(requester.channel, requester.userId, message).catch(() => undefined);
}

/**
 * Accepts the consequences about which the inputs ask, or has their schedules ask again. Belongs into a step.
 * @returns false if the requester may not decide for every pool, so that nothing was accepted
 */
async function acceptConsequences(op: ReconcileOperation, inputs: readonly Input[]): Promise<boolean> {
  if (!(await mayReconcileAll(op))) {
    await sayNotAccepted(op, inputs);
    return false;
  }
  for (const { rule, approval } of inputs) {
    const watch = op.steps.inputWatches.of(rule);
    await (approval === undefined ? watch.accept() : watch.askAgain());
  }
  return true;
}

/** The inputs that a person asked for. */
type Requested = Pick<Wish, "configuration" | "mayAccept">;

/** Reads an input, and the nodes that are due. @throws the error if it is no refusal */
async function readOne(op: ReconcileOperation, input: Input, requested: Requested): Promise<RequestedInput> {
  const wish = { ...requested, input, isRequested: true, select: select(op.request) };
  try {
    const { sha256, due } = await readInPages(op.ctx, op.steps, wish, op.start.operation);
    return { input, sha256: sha256 ?? "", nodes: due.nodes, refusal: null, mayAccept: requested.mayAccept };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { input, sha256: "", nodes: [], refusal: error };
  }
}

/** Finds the reasons of nodes that the person has named; no reason of a pool's nodes. Belongs into a step. */
async function reasonsOfNamed(op: ReconcileOperation, configuration: Configuration): Promise<readonly LeftOutNode[]> {
  const { targets } = op.request;
  if (targets.kind !== "nodes") return [];
  const nodes = await op.steps.nodes.all();
  return leftOutNodes(op.steps, configuration, nodes, namedNodes(targets.nodes, nodes));
}

/** The requested inputs, and the nodes that would get them. */
interface ReconcilePlan {
  readonly configuration: Configuration;
  /** Inputs that the configuration applies. */
  readonly applied: readonly Input[];
  readonly requested: readonly RequestedInput[];
  /** Words about what each of them would write; of a dry run. */
  readonly items: readonly (readonly string[])[];
}

/** Reads what each input would write. */
const itemsOf = (op: ReconcileOperation, requested: readonly RequestedInput[]) =>
  step(op.ctx, "plan", () =>
    Promise.all(
      requested.map(async ({ input, sha256, nodes }): Promise<readonly string[]> => {
        const { shows = ({ files }) => files.map(({ path }) => path) } = input;
        return nodes.length > 0 ? shows(await op.steps.inputStore.get(input, sha256)) : [];
      }),
    ),
  );

/** Makes the plan of each input. */
async function dryRun(op: ReconcileOperation, { configuration, requested, items }: ReconcilePlan): Promise<Message> {
  const plans = requested.map(({ input: { words }, nodes, refusal }, at) => {
    const why = refusal === null ? null : causeOf(refusal).message;
    return { words, nodes, items: items[at] ?? [], why };
  });
  return reconcileDryRun(plans, await reasonsOfNamed(op, configuration));
}

/** Shows the remark on a proof at its node. */
async function noteProof({ steps, start }: ReconcileOperation, { input, end }: GivenInput): Promise<void> {
  if (end.state !== "ended" || end.result.note === null) return;
  const [name] = end.result.changed;
  const nodes = await steps.ledger.nodes(start.operation);
  const first = nodes.find(({ nodeName, workflow }) => nodeName === name && workflow === input.rule);
  const outcome = writtenOutcome(input.words, end.result.note);
  if (first) await steps.ledger.changeNode(start.operation, first.index, { outcome });
}

const isIncomplete = ({ end }: GivenInput): boolean =>
  end.state === "refused" || end.state === "not-begun" || (end.state === "ended" && end.result.failed.length > 0);

/** Ends the operation by the results of its inputs. Call inside a step. @returns its summary */
async function end(op: ReconcileOperation, given: readonly GivenInput[]): Promise<string> {
  const { ledger } = op.steps;
  const { operation } = op.start;
  const cancelledBy = (await ledger.operation(operation))?.cancelledBy ?? null;
  for (const one of given) await noteProof(op, one);
  const isChanged = given.some((one) => one.end.state === "ended");
  const good: OperationStatus = isChanged ? "succeeded" : "cancelled";
  const bad: OperationStatus = cancelledBy === null ? "failed" : "cancelled";
  const status = given.some(isIncomplete) ? bad : good;
  const ends = given.map(({ input: { words }, end }) => ({ words, end }));
  const summary = requestedSummary(ends, isChanged ? cancelledBy : null);
  await ledger.changeOperation(operation, { status, summary, endedAt: op.steps.timestamp(), callbacks: {} });
  return summary;
}

/** Gives nodes the inputs, and ends the operation. @throws the first refusal if no node was changed */
async function give(op: ReconcileOperation, { configuration, requested }: ReconcilePlan) {
  const { ctx } = op;
  const { inputs, published } = await giveInTurn(op, configuration, requested);
  const refused = inputs.find(({ refusal }) => refusal !== null);
  if (published === null && refused) throw refused.refusal;
  const summary = await step(ctx, "end", () => end(op, inputs));
  if (published === null)
    await step(ctx, "say that every node is held", async () =>
      tellRequester(op, everyNodeLeft(summary, await reasonsOfNamed(op, configuration))),
    );
  return published;
}

/** Reads the inputs, and judges the requester by the nodes that would get them. */
async function plan(op: ReconcileOperation, inputs: readonly Input[]): Promise<ReconcilePlan> {
  const { ctx, steps, request, settings } = op;
  const configuration = await step(
    ctx,
    "read the configuration",
    async () => (await steps.runtime.read(settings.runtimeVersion)).configuration,
  );
  const applied = inputs.filter((one) => one.reads(configuration) !== null);
  if (applied.length === 0) throw new UserError(inputsNotApplied);
  // The last release kept no result of this step.
  const mayAccept =
    request.dryRun || (await step(ctx, "accept the consequences", () => acceptConsequences(op, applied))) !== false;
  const requested: RequestedInput[] = [];
  for (const input of applied) requested.push(await readOne(op, input, { configuration, mayAccept }));
  if (requested.every(({ refusal }) => refusal !== null)) throw requested[0]?.refusal;
  const nodes = requested.flatMap((one) => one.nodes);
  await step(ctx, "judge the pools", () => checkPools(op, nodes));
  return { configuration, applied, requested, items: request.dryRun ? await itemsOf(op, requested) : [] };
}

/** Gives nodes the inputs, or tells the requester that none differs. */
async function change(op: ReconcileOperation, planned: ReconcilePlan): Promise<PublishedMessage | null> {
  const { configuration, applied, requested } = planned;
  if (requested.some(({ refusal, nodes }) => refusal !== null || nodes.length > 0)) return give(op, planned);
  const words = applied.map((input) => input.words);
  await step(op.ctx, "end: up to date", async () =>
    showOnly(op, nothingToChange(words, await reasonsOfNamed(op, configuration)), alreadyInOrder),
  );
  return null;
}

/** `/win reconcile`: gives nodes the content of the cluster's inputs now, one input after the other. */
export async function reconcileRequested(execution: Execution, inputs = clusterInputs): Promise<void> {
  const { request } = execution.start;
  if (request.command !== "reconcile") throw new Error("this workflow reconciles inputs and nothing else");
  await changeRequested(execution, request, { plan: (op) => plan(op, inputs), dryRun, change });
}
