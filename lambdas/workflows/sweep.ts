import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { isChange } from "../commands/list.ts";
import { waitName } from "../desired/waits.ts";
import { logMetric } from "../logging.ts";
import { lostNotice, type Notice } from "../messages/operation/escalations.ts";
import { lostMessage } from "../messages/operation/lost.ts";
import { pages, waitNotice } from "../messages/operation/waits.ts";
import { METRICS } from "../metrics.ts";
import type { NodeRecord, OperationRecord } from "../records.ts";
import { lambdaEntry } from "../steps/host.ts";
import { isOverdue, isParked } from "../steps/next-part.ts";
import type { Steps } from "../steps/steps.ts";
import { tryingRights } from "./doctor/diagnose.ts";
import { causeOf, MINUTE, step } from "./engine/durable.ts";
import { escalate } from "./engine/escalate.ts";
import { orLater } from "./engine/or-later.ts";
import { closeLostNode } from "./node/lost-node.ts";
import { redraw } from "./operation/publisher.ts";
import { announceRules } from "./sweep/changed-rules.ts";
import { giveBackLeft, giveBackLostNode, leftCordons, tellGivenBack } from "./sweep/cordons.ts";
import { startDue } from "./sweep/due.ts";
import { follow, handedOver } from "./sweep/handed-over.ts";
import { dueReminders, remind } from "./sweep/kept-machines.ts";
import { exportLate } from "./sweep/late-exports.ts";
import { takeTurn } from "./sweep/one-at-a-time.ts";
import { expireGoneMachines } from "./sweep/retention.ts";
import { followReview } from "./sweep/reviews.ts";
import { releaseLeftSlots } from "./sweep/slots.ts";
import { dueWaits, remindOfWait } from "./waits/remind.ts";

/** Payload with which a tick of the schedule starts the sweep. */
export interface SweepStart {
  /** The event's id: the same tick delivered twice is the same sweep. */
  readonly tick: string;
  /** Starts what is due and does nothing else: every few minutes. */
  readonly only?: "due";
}

/** An operation that will not end by itself, and why. */
interface Lost {
  readonly id: string;
  readonly why: string;
  /** Giving back may need the cluster. */
  readonly isChange: boolean;
}

/** By index of a node: what it held and holds no more. */
type Held = Readonly<Record<number, readonly string[]>>;

/** A start may be delivered late; what is younger than this may still begin. */
const YOUNG_MS = 20 * MINUTE;

/**
 * Nodes of lost operations, and cordons, that one sweep works on: each takes two operations of its execution, of which 2,000
 * are to suffice. The next sweep takes the rest.
 */
const MOST_NODES = 400;
const MOST_CORDONS = 200;

/** The next sweep asks an unavailable service again. */
const ATTEMPTS = 3;

/** By schedule: nothing runs when an execution times out or is stopped, so what it held is given back here, and said. */
export const sweep =
  (steps: Steps) =>
  async ({ only }: SweepStart, ctx: DurableContext): Promise<void> => {
    if (only === "due")
      return step(ctx, "start what is due", () => startDue(steps), ATTEMPTS).catch(orLater(undefined));
    if (!(await takeTurn(ctx, steps))) return;
    await step(ctx, "announce changed rules", () => announceRules(steps), ATTEMPTS).catch(orLater(undefined));
    await step(ctx, "start what is due", () => startDue(steps), ATTEMPTS).catch(orLater(undefined));
    const lost = await step(ctx, "find operations that were lost", () => findLost(steps));
    const looks = lost.filter((one) => !one.isChange);
    const changes = lost.filter((one) => one.isChange);
    await each(looks, (one) => closeOperation(ctx, steps, one));
    const followed = await step(ctx, "find operations that were handed over", () => handedOver(steps));
    await each(followed, (id) => step(ctx, `follow ${id}`, () => follow(steps, id), ATTEMPTS));
    if (!(await each(changes, (one) => closeOperation(ctx, steps, one)))) return;
    const cordons = await step(ctx, "find nodes that operations left", () => leftCordons(steps));
    await each(cordons.slice(0, MOST_CORDONS), async (record) => {
      const { node, uid, operation } = record;
      const name = `${node} (${uid}) of ${operation}`;
      const outcome = await step(ctx, `give back ${name}`, () => giveBackLeft(steps, record), ATTEMPTS);
      if (outcome) await step(ctx, `say what became of ${name}`, () => tellGivenBack(steps, record, outcome), ATTEMPTS);
    });
    await step(ctx, "give back slots that were left", () => releaseLeftSlots(steps), ATTEMPTS);
    await remindOfKept(ctx, steps);
    await remindOfWaits(ctx, steps);
    await followReviews(ctx, steps).catch(orLater(undefined));
    // EC2 or the release may not be readable now: the next sweep does it, and nothing waits for it.
    await step(ctx, "expire what machines were given", () => expireGoneMachines(steps), ATTEMPTS).catch(
      () => undefined,
    );
    await step(ctx, "copy late entries of the audit", () => exportLate(steps), ATTEMPTS).catch(orLater(undefined));
  };

/** Counts reviews of what was done without an approval; a person's rights may not be readable now. */
async function followReviews(ctx: DurableContext, steps: Steps): Promise<void> {
  const awaited = await step(ctx, "find awaited reviews", () => steps.breakGlass.open(), ATTEMPTS);
  await each(awaited, (used) => followReview(ctx, steps, used));
}

/** Reminds people of kept machines, past Slack first. */
async function remindOfKept(ctx: DurableContext, steps: Steps): Promise<void> {
  const find = step(ctx, "find kept machines to remind of", () => dueReminders(steps), ATTEMPTS);
  const reminders = await find.catch(orLater([]));
  await each(reminders, async (reminder) => {
    const name = `${reminder.operation}:${reminder.index}`;
    await escalate(ctx, steps, `${name} is kept`, reminder.notice);
    await step(ctx, `remind of ${name}`, () => remind(steps, reminder), ATTEMPTS);
  });
}

/** Reminds people of whatever else waits for them; past Slack too, where no page did so before. */
async function remindOfWaits(ctx: DurableContext, steps: Steps): Promise<void> {
  const due = await step(ctx, "find what waits for a person", () => dueWaits(steps), ATTEMPTS).catch(orLater([]));
  await each(due, async (wait) => {
    const name = waitName(wait);
    if (pages(wait.kind)) {
      const now = await step(ctx, `the time of the page: ${name}`, async () => steps.timestamp());
      await escalate(ctx, steps, name, waitNotice(wait, now));
    }
    await step(ctx, `remind: ${name}`, () => remindOfWait(steps, wait), ATTEMPTS);
  });
}

/**
 * Does the work for each, one after the other. If a service is unavailable, the rest is left to the next sweep.
 * @returns whether all were worked on
 * @throws Error of the first that failed for another reason, after the others were worked on: a bug, or a missing right
 */
async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<boolean> {
  const failures: unknown[] = [];
  for (const one of all) {
    try {
      await work(one);
    } catch (error) {
      if (causeOf(error).name === "Retryable") return false;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return true;
}

async function closeOperation(ctx: DurableContext, steps: Steps, lost: Lost): Promise<void> {
  const held: Record<number, readonly string[]> = {};
  for (const node of await step(ctx, `find nodes of ${lost.id}`, () => lostNodes(steps, lost)))
    held[node.index] = await giveBackNode(ctx, steps, node, lost.why);
  const notice = await step(ctx, `give back what ${lost.id} held`, () => giveBack(steps, lost));
  if (notice) await escalate(ctx, steps, lost.id, notice);
  // Without a release the channel is unknown, and Slack may be unavailable: people were notified by SNS as well.
  if (notice) await step(ctx, `say that ${lost.id} was lost`, () => say(steps, lost, held)).catch(() => undefined);
  // Until then the next sweep finds the operation again.
  await step(ctx, `end ${lost.id}`, () => end(steps, lost));
  // What remains was said in the thread; the message above it offers no button that nothing would answer.
  await step(ctx, `redraw the message of ${lost.id}`, () => redraw(steps, lost.id), ATTEMPTS).catch(() => undefined);
}

/** Finds operations that will not end by themselves, the oldest first, with as many nodes together as one sweep works on. */
async function findLost(steps: Steps): Promise<Lost[]> {
  const found: Lost[] = [];
  let nodes = 0;
  const unfinished = await steps.ledger.unfinished();
  // What waits for its time may be days old.
  const working = unfinished.find(({ status }) => status !== "scheduled");
  logMetric(METRICS.oldestOperation, minutesSince(working?.requestedAt, steps.now()));
  logMetric(METRICS.oldestWaiting, minutesSince(await waitingSince(steps, unfinished), steps.now()));
  for (const operation of unfinished) {
    if (operation.handedOver || (isParked(operation) && !isOverdue(operation, steps.now()))) continue;
    const why = await howLost(steps, operation);
    if (why === null) continue;
    found.push({ id: operation.id, why, isChange: isChange(operation.request.command) });
    nodes += (await steps.ledger.nodes(operation.id)).length;
    if (nodes >= MOST_NODES) break;
  }
  return found;
}

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

async function howLost(steps: Steps, operation: OperationRecord): Promise<string | null> {
  const { requestedAt, executionArn } = operation;
  if (steps.now() - Date.parse(requestedAt) < YOUNG_MS) return null;
  if (executionArn === null) return "its execution never started";
  if (isParked(operation)) return "it was not started at its time";
  const ending = await steps.executions.ending(executionArn);
  return ending === null ? null : `its execution ended as ${ending}`;
}

/** The operation, as long as nothing else has ended it. */
async function unended(steps: Steps, id: string): Promise<OperationRecord | null> {
  const operation = await steps.ledger.operation(id);
  return operation?.endedAt === null ? operation : null;
}

/** Nodes of a lost operation that were not ended; those whose own execution goes on are left to it. */
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
async function giveBackNode(ctx: DurableContext, steps: Steps, node: NodeRecord, why: string) {
  const name = `${node.operation}:${node.index}`;
  const found = await step(ctx, `give back the Node of ${name}`, () => giveBackLostNode(steps, node), ATTEMPTS);
  return step(ctx, `give back what ${name} held`, () => closeLostNode(steps, node, why, found));
}

/** @returns what people must be told past Slack, when the operation was to change something */
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
  const { slack, command } = await steps.runtime.rules();
  const message = lostMessage(operation, why, await steps.ledger.nodes(id), held, command);
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

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("sweep", sweep));
