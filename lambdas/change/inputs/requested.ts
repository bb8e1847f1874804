import { POOL_LABEL } from "../../cluster/node-keys.ts";
import { hasPoolPolicies } from "../../commands/approvals.ts";
import type { Request } from "../../commands/request.ts";
import { step } from "../../engine/durable.ts";
import { Refused, UserError } from "../../errors.ts";
import type { Input } from "../../inputs/input.ts";
import { clusterInputs } from "../../inputs/list.ts";
import { poolWithoutNodes } from "../../messages/node/guard.ts";
import { type FleetResult, fleetSummary } from "../../messages/operation/fleet.ts";
import {
  everyNodeIsHeld,
  filesLeft,
  inputsNotApplied,
  inputUpToDate,
  otherOperationChanges,
  provenFiles,
  reconcileDryRun,
} from "../../messages/operation/inputs.ts";
import { say } from "../../messages/slack/blocks.ts";
import { isWindows, labelsOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { changeFleet } from "../fleet/change-fleet.ts";
import type { FleetOperation, FleetRow } from "../fleet/row.ts";
import { settleLeft } from "../fleet/settle.ts";
import { findNode } from "../node/find-node.ts";
import { beginAccepted, failOperation, showOnly, tellRequester } from "../operation/lifecycle.ts";
import type { Execution, Op } from "../operation/op.ts";
import { publishWatched } from "../operation/progress.ts";
import { publishEnd } from "../operation/publish-end.ts";
import { postFirst } from "../operation/publisher.ts";
import { checkOrigin } from "../operation/requester.ts";
import { claimInput } from "./claim.ts";
import type { DueNode, Wish } from "./due.ts";
import { type InputReading, readInPages } from "./read.ts";
import { inputRow, type StartedParts, stageOf } from "./row.ts";

type ReconcileRequest = Extract<Request, { command: "reconcile" }>;

/** An operation that a person started. */
type Reconciling = Op<ReconcileRequest>;

/**
 * Selects the requested nodes.
 * @throws UserError when a name matches no node or several, or a pool has no node
 */
const select =
  ({ targets }: ReconcileRequest) =>
  (nodes: readonly Node[]): readonly Node[] => {
    if (targets.kind === "all") return nodes;
    if (targets.kind === "nodes") return [...new Set(targets.nodes.map((typed) => findNode(typed, nodes)))];
    const found = nodes.filter((node) => isWindows(node) && labelsOf(node)[POOL_LABEL] === targets.pool);
    if (found.length === 0) throw new UserError(poolWithoutNodes(targets.pool));
    return found;
  };

/** Judges the requester by the policy of each pool whose nodes would be changed. Call inside a step. */
async function checkPools(op: Reconciling, nodes: readonly DueNode[]): Promise<void> {
  const rules = await op.steps.runtime.rules();
  if (!hasPoolPolicies(rules)) return;
  for (const pool of new Set(nodes.map((node) => node.pool))) await checkOrigin(op, rules, pool);
}

/** End of a node's record, by the outcome of its machine. */
const endOf =
  (input: Input): StartedParts["endOf"] =>
  (outcome) => {
    if (outcome.state === "changed") return { status: "succeeded", outcome: null };
    if (outcome.state !== "failed") return { status: "cancelled", outcome: outcome.why, failure: null };
    const { state: _state, ...reason } = outcome;
    return { status: "failed", failure: { stage: stageOf(input), ...reason, left: filesLeft } };
  };

/** The parts of a row for an operation of a person: it leaves leased machines to the operation that holds them. */
const startedByPerson = ({ steps, start: { operation }, settings }: Reconciling, input: Input): StartedParts => ({
  onHeld: () => ({ state: "untouched", why: "another operation works on it" }),
  onClaimed: async (count) => (count > 0 ? postFirst(steps, operation, null, settings) : null),
  endOf: endOf(input),
});

/** Ends the operation by the results of its nodes; the first one shows the remark on its proof. Call inside a step. */
async function end({ steps, start: { operation } }: Reconciling, result: FleetResult | null): Promise<void> {
  const { ledger } = steps;
  const cancelledBy = (await ledger.operation(operation))?.cancelledBy ?? null;
  const first = (await ledger.nodes(operation)).find(({ nodeName }) => nodeName === result?.changed[0]);
  if (first && result?.note) await ledger.changeNode(operation, first.index, { outcome: provenFiles(result.note) });
  const isWhole = result !== null && result.failed.length === 0;
  const status = isWhole ? "succeeded" : result && cancelledBy === null ? "failed" : "cancelled";
  const summary = result ? fleetSummary({ ...result, operation, cancelledBy }) : everyNodeIsHeld;
  await ledger.changeOperation(operation, { status, summary, endedAt: steps.timestamp(), callbacks: {} });
}

/** @throws Refused while another operation changes the same input on nodes */
async function claim({ steps, start: { operation } }: Reconciling, input: Input): Promise<void> {
  if (await claimInput(steps, input.rule, operation)) return;
  const watch = await steps.inputWatches.of(input.rule).read();
  throw new Refused(otherOperationChanges(watch.operation ?? ""));
}

/** Shows the end of an operation that found nothing to change. */
async function endUpToDate(op: Reconciling, input: Input): Promise<void> {
  await step(op.ctx, "end: up to date", () => showOnly(op, inputUpToDate(input.words)));
}

/** Changes the nodes; after an error it settles those that remain. @throws the error */
async function changeOrSettle(fleet: FleetOperation, row: FleetRow<DueNode>, nodes: readonly DueNode[]) {
  try {
    return await changeFleet(fleet, row, nodes);
  } catch (error) {
    await settleLeft(fleet, row, error);
    throw error;
  }
}

async function change(op: Reconciling, wish: Wish, { sha256, due }: InputReading): Promise<void> {
  const { ctx, steps, start } = op;
  const { input, configuration } = wish;
  if (sha256 === null) return;
  await step(ctx, "judge the pools", () => checkPools(op, due.nodes));
  if (op.request.dryRun) {
    const shown = await step(ctx, "plan", async () => (await steps.inputStore.get(input, sha256)).files);
    const message = reconcileDryRun(input.words, due.nodes, shown);
    return step(ctx, "show what would happen", () => showOnly(op, message));
  }
  if (due.nodes.length === 0) return endUpToDate(op, input);
  await step(ctx, "claim", () => claim(op, input));
  const fleet = { ctx, steps, operation: start.operation };
  const row = inputRow(fleet, { input, sha256, configuration }, startedByPerson(op, input));
  const { result, published } = await changeOrSettle(fleet, row, due.nodes);
  await step(ctx, "end", () => end(op, result));
  if (!published) return step(ctx, "say that every node is held", () => tellRequester(op, say(everyNodeIsHeld)));
  const watched = { steps, operation: start.operation, pool: null, settings: op.settings };
  await publishEnd(ctx, steps, () => publishWatched(watched, published));
}

async function work(op: Reconciling): Promise<void> {
  const { ctx, steps, request, settings } = op;
  const configuration = await step(
    ctx,
    "read the configuration",
    async () => (await steps.runtime.read(settings.runtimeVersion)).configuration,
  );
  // An operation gives one input: its records of nodes have one stage each.
  const input = clusterInputs.find((one) => one.reads(configuration) !== null);
  if (!input) throw new UserError(inputsNotApplied);
  if (!request.dryRun) await step(ctx, "accept the consequences", () => steps.inputWatches.of(input.rule).accept());
  const wish = { input, configuration, isRequested: true, select: select(request) };
  await change(op, wish, await readInPages(ctx, steps, wish, op.start.operation));
}

/** `/win reconcile`: gives nodes the content of the cluster's inputs now. */
export async function reconcileRequested(execution: Execution): Promise<void> {
  const { ctx, start } = execution;
  const { request } = start;
  if (request.command !== "reconcile") throw new Error("this workflow reconciles inputs and nothing else");
  try {
    const settings = await step(ctx, "begin", () => beginAccepted(execution));
    if (settings) await work({ ...execution, request, settings });
  } catch (error) {
    await step(ctx, "end without a result", () => failOperation(execution, error));
  }
}
