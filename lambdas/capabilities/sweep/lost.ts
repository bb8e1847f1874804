import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { closeLostNode, giveBackLostNode } from "../../change/node/lost-node.ts";
import { redraw } from "../../change/operation/publisher.ts";
import { isChange } from "../../commands/list.ts";
import { MINUTE, step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import { logMetric } from "../../logging.ts";
import { lostNotice, type Notice } from "../../messages/operation/escalations.ts";
import { lostMessage } from "../../messages/operation/lost.ts";
import { METRICS } from "../../metrics.ts";
import type { StageFault } from "../../records/failures.ts";
import type { NodeRecord, OperationRecord } from "../../records/records.ts";
import { codeOfAnswer, wordsOf } from "../../steps/client-errors.ts";
import { isExecutionOverdue, isParked } from "../../steps/next-execution.ts";
import type { Steps } from "../../steps/steps.ts";
import { workingSince } from "./working-since.ts";

/** An operation that will not end by itself, and why. */
interface Lost extends StageFault {
  readonly id: string;
  /** Giving back may need the cluster. */
  readonly isChange: boolean;
  /** Lambda refuses to show its execution, as of a function that a release took away, or its record is damaged: it is left as it is. */
  readonly isUnreadable?: true;
}

/** By index of a node: what it held and holds no more. */
type Held = Readonly<Record<number, readonly string[]>>;

/** A start may be delivered late; what is younger than this may still begin. */
const YOUNG_MS = 20 * MINUTE;

/**
 * Nodes of lost operations that one sweep works on: each takes two operations of its execution, of which 2,000 are to suffice. The
 * next sweep takes the rest.
 */
const MOST_NODES = 400;

/** The next sweep asks an unavailable service again. */
const ATTEMPTS = 3;

/**
 * Ends a lost operation: releases what each of its nodes held and what it held itself, and posts its end.
 * @throws StepError while a service is unavailable: the next sweep continues
 */
export async function closeOperation(ctx: DurableContext, steps: Steps, lost: Lost): Promise<void> {
  const held: Record<number, readonly string[]> = {};
  for (const node of await step(ctx, `find nodes of ${lost.id}`, () => lostNodes(steps, lost)))
    held[node.index] = await giveBackNode(ctx, steps, node, lost);
  const notice = await step(ctx, `give back what ${lost.id} held`, () => giveBack(steps, lost));
  if (notice) await escalate(ctx, steps, lost.id, notice);
  // Without a release the channel is unknown, and Slack may be unavailable: people were notified by SNS as well.
  if (notice) await step(ctx, `say that ${lost.id} was lost`, () => say(steps, lost, held)).catch(() => undefined);
  // If a step before fails, the operation is still open, and the next sweep finds it again.
  await step(ctx, `end ${lost.id}`, () => end(steps, lost));
  // The thread says what remains. The message above it must not offer a button that nothing answers.
  await step(ctx, `redraw the message of ${lost.id}`, () => redraw(steps, lost.id), ATTEMPTS).catch(() => undefined);
}

/** Finds operations that will not end by themselves, the oldest first, with as many nodes together as one sweep works on. Call inside a step. */
export async function findLost(steps: Steps): Promise<Lost[]> {
  const found: Lost[] = [];
  let nodes = 0;
  const unfinished = await steps.ledger.unfinished();
  logMetric(METRICS.oldestOperation, minutesSince(workingSince(unfinished), steps.now()));
  logMetric(METRICS.oldestWaiting, minutesSince(await waitingSince(steps, unfinished), steps.now()));
  for (const operation of unfinished) {
    if (operation.handedOver || (isParked(operation) && !isExecutionOverdue(operation, steps.now()))) continue;
    const lost = await howLost(steps, operation).catch(unreadable);
    if (lost === null) continue;
    found.push({ id: operation.id, ...lost, ...kindOf(operation) });
    nodes += (await steps.ledger.nodes(operation.id)).length;
    if (nodes >= MOST_NODES) break;
  }
  return found;
}

/** Does a lost operation change something? What its record does not say, only a person can find out. */
const kindOf = ({ request }: Partial<OperationRecord>): Partial<Lost> & Pick<Lost, "isChange"> =>
  request
    ? { isChange: isChange(request.command) }
    : { isChange: true, why: "its record in the ledger has no request", isUnreadable: true };

/** Minutes since a moment (ISO 8601); 0 without one. */
const minutesSince = (moment: string | undefined, now: number): number =>
  moment === undefined ? 0 : Math.round((now - Date.parse(moment)) / MINUTE);

/** Time at which the first of the operations that wait for a person began to wait: at a node's failure, or at the request of a dialog. */
async function waitingSince(steps: Steps, operations: readonly OperationRecord[]): Promise<string | undefined> {
  const since: string[] = [];
  for (const { id, status, requestedAt } of operations) {
    if (status !== "waiting") continue;
    const deciding = (await steps.ledger.nodes(id)).filter((node) => node.status === "deciding");
    since.push(deciding.flatMap(({ failedAt }) => failedAt ?? []).sort()[0] ?? requestedAt);
  }
  return since.sort()[0];
}

/**
 * Says of an operation that Lambda refuses to show its execution: only a person knows whether it still runs.
 * @throws any other error
 */
function unreadable(error: unknown): Omit<Lost, "id" | "isChange"> {
  const code = codeOfAnswer(error);
  if (code !== "aws-denied") throw error;
  return { code, why: `Lambda refuses to show its execution: ${wordsOf(error)}`, isUnreadable: true };
}

async function howLost(steps: Steps, operation: OperationRecord): Promise<StageFault | null> {
  const { requestedAt, executionArn } = operation;
  if (steps.now() - Date.parse(requestedAt) < YOUNG_MS) return null;
  if (executionArn === null) return { code: "execution-never-started", why: "its execution never started" };
  if (isParked(operation)) return { code: "execution-never-started", why: "it was not started at its time" };
  const ending = await steps.executions.ending(executionArn);
  return ending === null ? null : { code: "execution-ended", why: `its execution ended as ${ending}` };
}

/** The operation, as long as nothing else has ended it. */
async function unended(steps: Steps, id: string): Promise<OperationRecord | null> {
  const operation = await steps.ledger.operation(id);
  return operation?.endedAt === null ? operation : null;
}

/** Nodes of a lost operation that were not ended; those whose own execution still runs are left to it. */
async function lostNodes(steps: Steps, { id }: Lost): Promise<NodeRecord[]> {
  if (!(await unended(steps, id))) return [];
  const lost: NodeRecord[] = [];
  for (const node of await steps.ledger.nodes(id)) {
    const isOver = node.executionArn === null || (await steps.executions.ending(node.executionArn)) !== null;
    if (node.endedAt === null && isOver) lost.push(node);
  }
  return lost;
}

/**
 * Releases what a lost node held, its Node first: until that is done no other operation gets its lease.
 * @returns sentences on what was released
 * @throws StepError while the cluster or EC2 is unavailable: then it keeps what it holds until the next sweep
 */
async function giveBackNode(ctx: DurableContext, steps: Steps, node: NodeRecord, { code, why }: Lost) {
  const name = `${node.operation}:${node.index}`;
  const found = await step(ctx, `give back the Node of ${name}`, () => giveBackLostNode(steps, node), ATTEMPTS);
  return step(ctx, `give back what ${name} held`, () => closeLostNode(steps, node, { code, why }, found));
}

/** @returns what SNS must send to people, when the operation was to change something */
async function giveBack(steps: Steps, { id, why }: Lost): Promise<Notice | null> {
  const operation = await unended(steps, id);
  if (!operation) return null;
  const { request } = operation;
  if (request.command === "add") await steps.reservations.close(request.pool, id);
  return isChange(request.command) ? lostNotice(operation, why, await steps.ledger.nodes(id)) : null;
}

async function say(steps: Steps, { id, why }: Lost, held: Held): Promise<void> {
  const operation = await unended(steps, id);
  if (!operation) return;
  const { slack } = await steps.runtime.rules();
  const message = lostMessage(operation, why, await steps.ledger.nodes(id), held);
  await steps.thread.post(slack.channel, message, `lost ${id}`, operation.messageTs ?? undefined, true);
}

async function end(steps: Steps, { id, why }: Lost): Promise<void> {
  if (!(await unended(steps, id))) return;
  for (const { uid, operation, outcome } of await steps.cordons.open())
    if (operation === id && outcome) await steps.cordons.close(uid, operation);
  await steps.ledger.changeOperation(id, {
    status: "failed",
    summary: why,
    endedAt: steps.timestamp(),
    callbacks: {},
  });
}
