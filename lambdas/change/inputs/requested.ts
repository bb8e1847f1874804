import { POOL_LABEL } from "../../cluster/node-keys.ts";
import { hasPoolPolicies } from "../../commands/approvals.ts";
import type { Request } from "../../commands/request.ts";
import { step } from "../../engine/durable.ts";
import { Refused, UserError } from "../../errors.ts";
import type { Input } from "../../inputs/input.ts";
import { clusterInputs } from "../../inputs/list.ts";
import { poolWithoutNodes } from "../../messages/node/guard.ts";
import {
  inputsNotApplied,
  inputUpToDate,
  otherOperationChanges,
  reconcileDryRun,
} from "../../messages/operation/inputs.ts";
import { originOf } from "../../records/origin.ts";
import { isWindows, labelsOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { changeByRule, type Rule } from "../fleet/by-rule.ts";
import type { Outcome } from "../fleet/row.ts";
import { findNode } from "../node/find-node.ts";
import { beginOperation, failOperation, showOnly } from "../operation/lifecycle.ts";
import type { Execution, Op } from "../operation/op.ts";
import { checkOrigin } from "../operation/requester.ts";
import type { DueNode, Wish } from "./due.ts";
import { type InputReading, readInPages } from "./read.ts";
import { inputRow, type StartedParts } from "./row.ts";

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

const endOf: StartedParts["endOf"] = (outcome: Outcome) => {
  if (outcome.state === "changed") return { status: "succeeded", outcome: null };
  return { status: outcome.state === "untouched" ? "cancelled" : "failed", outcome: outcome.why };
};

/** The parts of a row for an operation of a person: it leaves leased machines to the operation that holds them. */
const startedByPerson = ({ steps, start: { operation } }: Reconciling, words: Input["words"]): StartedParts => ({
  onHeld: () => ({ state: "untouched", why: "another operation works on it" }),
  onClaimed: async (count) => {
    if (count > 0) return null;
    const summary = inputUpToDate(words).text;
    await steps.ledger.changeOperation(operation, { status: "cancelled", summary, endedAt: steps.timestamp() });
    return null;
  },
  endOf,
});

/** @throws Refused while another operation changes the same input on nodes */
async function claim({ steps, start: { operation } }: Reconciling, input: Input): Promise<void> {
  const watch = steps.inputWatches.of(input.rule);
  const hasEnded = async (other: string) => (await steps.ledger.operation(other))?.endedAt !== null;
  if (await watch.claim(operation, hasEnded)) return;
  throw new Refused(otherOperationChanges((await watch.read()).operation ?? ""));
}

/** Shows the end of an operation that found nothing to change. */
async function endUpToDate(op: Reconciling, input: Input): Promise<void> {
  await step(op.ctx, "end: up to date", () => showOnly(op, inputUpToDate(input.words)));
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
  const rule: Rule = {
    origin: originOf(start),
    opening: {
      request: op.request,
      cause: start.operation,
      cluster: configuration.cluster.name,
      channel: configuration.slack.channel,
    },
    words: input.words,
    claim: async () => true,
  };
  const fleet = { ctx, steps, operation: start.operation };
  const row = inputRow(fleet, { input, sha256, configuration }, startedByPerson(op, input.words));
  await changeByRule(fleet, rule, row, due.nodes);
}

async function work(op: Reconciling): Promise<void> {
  const { ctx, steps, request, settings } = op;
  const configuration = await step(
    ctx,
    "read the configuration",
    async () => (await steps.runtime.read(settings.runtimeVersion)).configuration,
  );
  const applied = clusterInputs.filter((input) => input.reads(configuration) !== null);
  if (applied.length === 0) throw new UserError(inputsNotApplied);
  for (const input of applied) {
    if (!request.dryRun)
      await step(ctx, `accept the consequences for ${input.words.noun}`, () =>
        steps.inputWatches.of(input.rule).accept(),
      );
    const wish = { input, configuration, isRequested: true, select: select(request) };
    const reading = await readInPages(ctx, steps, wish, op.start.operation);
    await change(op, wish, reading);
  }
}

/** `/win reconcile`: gives nodes the content of the cluster's inputs now. */
export async function reconcileRequested(execution: Execution): Promise<void> {
  const { ctx, start } = execution;
  const { request } = start;
  if (request.command !== "reconcile") throw new Error("this workflow reconciles inputs and nothing else");
  try {
    const settings = await step(ctx, "begin", () => beginOperation(execution));
    if (settings) await work({ ...execution, request, settings });
  } catch (error) {
    await step(ctx, "end without a result", () => failOperation(execution, error));
  }
}
