import { type ApprovedStart, passGate } from "../../../change/approval/gate.ts";
import { checkNotStopped } from "../../../change/node/check-not-stopped.ts";
import { planUnlessStopped } from "../../../change/operation/hold-up.ts";
import { showOnly } from "../../../change/operation/lifecycle.ts";
import type { Op } from "../../../change/operation/op.ts";
import { postFirst } from "../../../change/operation/publisher.ts";
import { judgeTime, timeOptions } from "../../../change/operation/timing.ts";
import { isForced, type RolloutRequest } from "../../../commands/request.ts";
import { typedAgain } from "../../../commands/typed-again.ts";
import { step } from "../../../engine/durable.ts";
import { typeThis } from "../../../messages/command/syntax.ts";
import { withTime } from "../../../messages/maintenance/schedule.ts";
import type { ApprovalBasis } from "../../../records/approval.ts";
import { newNodeRecord, type PublishedMessage } from "../../../records/records.ts";
import { isReady } from "../../../steps/cluster/node-facts.ts";
import { checkShared, chooseDue } from "./due.ts";
import {
  checkForce,
  checkMarks,
  checkSize,
  chooseNodes,
  mostAtOnce,
  type PlanResult,
  planNodes,
  wholePlan,
} from "./plan.ts";
import { rolloutCard, rolloutDryRun } from "./plan-card.ts";
import type { RolloutPlan } from "./rollout-plan.ts";
import type { RolloutWork } from "./runs.ts";

/** Nodes planned in one step: an invocation ends after five minutes, and planning a node takes some seconds. */
const PLANNED_AT_ONCE = 10;

const optionsOf = ({ max, canary, nodes }: RolloutPlan, request: RolloutRequest): ApprovalBasis["options"] => ({
  ...timeOptions(request),
  ...{ force: isForced(request), deleteEmptyDir: isForced(request) },
  ...{ max, canary },
  ...(nodes.some(({ throughEc2 }) => throughEc2) ? { ec2: true } : {}),
});

const unique = (all: readonly string[]): string[] => [...new Set(all)];

/**
 * Marks of all losses that the request accepts; undefined where it accepts none, and where the last release has planned a
 * node, without marks.
 */
function marksOf({ nodes }: Pick<RolloutPlan, "nodes">, request: RolloutRequest): readonly string[] | undefined {
  if (!isForced(request)) return undefined;
  if (nodes.some(({ lost, lossMarks }) => lost && !lossMarks)) return undefined;
  return unique(nodes.flatMap(({ lossMarks = [] }) => lossMarks));
}

/** Facts that the approval of a rollout is bound to, except the policy. */
function recordOf(plan: RolloutPlan, request: RolloutRequest): Omit<ApprovalBasis, "policy"> {
  const lossMarks = marksOf(plan, request);
  return {
    action: request.command,
    options: optionsOf(plan, request),
    nodes: plan.nodes.map(({ uid, bootId, instanceId }) => ({ uid, bootId, instanceId })),
    losses: unique(plan.nodes.flatMap(({ losses }) => losses)),
    ...(lossMarks ? { lossMarks } : {}),
    blockers: unique(plan.nodes.flatMap(({ blockers }) => blockers)),
  };
}

async function planAll(op: Op<RolloutRequest>): Promise<RolloutPlan> {
  const { ctx, steps, request } = op;
  const { canary } = request;
  const max = request.max ?? null;
  if (request.targets.kind === "pool") checkForce(request, request.targets.pool);
  const meant = await step(ctx, "choose the nodes", () => chooseNodes(op));
  const waiting = request.due ? await chooseDue(op, meant) : null;
  const names = waiting ? Object.keys(waiting) : meant;
  checkSize(names);
  const planned: PlanResult[] = [];
  for (let from = 0; from < names.length; from += PLANNED_AT_ONCE) {
    const some = names.slice(from, from + PLANNED_AT_ONCE);
    planned.push(...(await step(ctx, `plan nodes from ${from + 1}`, () => planNodes(op, some))));
  }
  const most = await step(ctx, "how many may be away", () => {
    const pools = new Set(planned.flatMap((one) => ("leftOut" in one ? [] : [one.pool])));
    return mostAtOnce(steps, pools.size > 0 ? [...pools] : [null], max);
  });
  const plan = { ...wholePlan(planned, most, request), max, canary };
  checkForce(request, plan.pools ? null : plan.pool);
  checkMarks(marksOf(plan, request) ?? []);
  if (waiting === null) return plan;
  const pools = plan.pools ?? [];
  await step(ctx, "may the pools share an approval", () => checkShared(steps, request.command, pools));
  const nodes = plan.nodes.map((node) => ({ ...node, due: waiting[node.name] ?? "" }));
  return { ...plan, nodes, due: true };
}

/**
 * Checks that no freeze or hold stops the pool of a rollout that waited for its time. Call inside a step.
 * @throws Stopped
 */
async function checkPool({ steps, start: { operation } }: Op): Promise<true> {
  const pool = (await steps.ledger.operation(operation))?.inPool ?? null;
  await checkNotStopped(steps, { node: null, pool, name: pool ?? operation });
  return true;
}

/** Writes the rollout and its nodes into the ledger, and shows them in the message. Call inside a step. */
async function write(
  { steps, start: { operation, continues = 1 }, request, settings }: Op<RolloutRequest>,
  plan: RolloutPlan,
  { record, isBound }: ApprovedStart,
): Promise<PublishedMessage> {
  const nodes = plan.nodes.map(({ name, uid, isAway, throughEc2 }, index) => ({
    ...{ name, uid, index },
    ...{ isAway, throughEc2 },
  }));
  const { pool, pools, max, canary } = plan;
  const bounds = { pool, ...(pools ? { pools } : {}), max, canary, isBound, isConfirmed: false };
  await steps.rollouts.insert(operation, { ...bounds, nodes, record, accepted: [], published: null });
  for (const [index, { name, instanceId }] of plan.nodes.entries()) {
    const queued = newNodeRecord(request.command, operation, index, steps.timestamp());
    await steps.ledger.recordNode({ ...queued, nodeName: name, instanceId });
  }
  await steps.ledger.changeOperation(operation, {
    ...{ status: "running", inPool: pool, callbacks: {} },
    rollout: { paused: null, part: continues, parkedAt: null, heard: null },
  });
  // The message may still show the question; the first poll redraws it.
  return { ...(await postFirst(steps, operation, null, settings)), view: "" };
}

/** Is none of its nodes Ready now? */
async function areNotReady({ steps }: Op, { nodes }: RolloutPlan): Promise<boolean> {
  const uids = new Set(nodes.map(({ uid }) => uid));
  return (await steps.nodes.all()).every((node) => !uids.has(node.metadata?.uid ?? "") || !isReady(node));
}

/**
 * Plans a rollout, asks for its approval, and writes it into the ledger.
 * @returns null for a dry run, and when it was not approved
 * @throws UserError for a request that cannot be planned; Refused when no node is left
 */
export async function openRollout(op: Op<RolloutRequest>): Promise<RolloutWork | null> {
  const { ctx, steps, start, request, settings } = op;
  const again = typeThis(request.command, ...typedAgain(request));
  const waits = { name: "is it stopped", again, plan: () => checkPool(op) };
  if (start.continues !== undefined && !(await planUnlessStopped(op, waits))) return null;
  const plan = await planAll(op);
  const timed = { pool: plan.pool, isRecovery: plan.nodes.every(({ isAway }) => isAway) };
  if (request.dryRun) {
    const message = rolloutDryRun(plan, typedAgain(request));
    await step(ctx, "show what would happen", async () => showOnly(op, withTime(message, await judgeTime(op, timed))));
    return null;
  }
  const pods = plan.nodes.reduce((sum, node) => sum + node.pods, 0);
  const approval = {
    ...{ command: request.command, pool: plan.pool, isOfNotReady: timed.isRecovery && !plan.pools },
    // Each node is planned again before it begins, and compared with the approved plan.
    judge: async () => ({ record: recordOf(plan, request), pods, card: rolloutCard(plan) }),
  };
  await step(ctx, "note the pool", () => steps.ledger.changeOperation(start.operation, { inPool: plan.pool }));
  const isStillRecovery = (): Promise<boolean> => areNotReady(op, plan);
  const opened = await passGate(op, { ...timed, approval, again, isStillRecovery });
  if (!opened) return null;
  const published = await step(ctx, "write the rollout", () => write(op, plan, opened));
  return { settings, published };
}
