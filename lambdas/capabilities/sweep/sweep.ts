import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { unmarkLeft } from "../../change/emptying/soft-taint.ts";
import { followHandedOver } from "../../change/operation/progress.ts";
import { step } from "../../engine/durable.ts";
import { orLater } from "../../engine/or-later.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import { pages, waitNotice } from "../../messages/operation/waits.ts";
import type { TurnOf } from "../../records/ledger-table.ts";
import { isUrgent, waitName } from "../../records/waits.ts";
import { ifShown } from "../../steps/client-errors.ts";
import { lambdaEntry } from "../../steps/host.ts";
import { isDue, startNextExecution } from "../../steps/next-execution.ts";
import type { Steps } from "../../steps/steps.ts";
import { announceRules } from "./changed-rules.ts";
import { clearUncordoned, giveBackLeft, leftCordons, tellGivenBack } from "./cordons.ts";
import { each, eachInto } from "./each.ts";
import { callForFleet } from "./fleet-calls.ts";
import { hearPresses } from "./hold.ts";
import { dueReminders, remind } from "./kept-machines.ts";
import { closeOperation, findLost } from "./lost.ts";
import { pageOnce } from "./page.ts";
import { dueWaits, remindOfWait } from "./remind.ts";
import { followReview } from "./reviews.ts";
import { redrawMessages } from "./unsaid.ts";

/** Payload with which a tick of the schedule starts the sweep. */
export interface SweepStart {
  /** The event's id: the same tick delivered twice is the same sweep. */
  readonly tick: string;
  /**
   * "due" starts what is due, reminds people of what waits and calls them to trouble of many nodes, and does nothing else:
   * every few minutes. "presses" shows who has what waits: after each press of **I have it**.
   */
  readonly only?: "due" | "presses";
}

/** Cordons that one sweep works on: each takes two operations of its execution, of which 2,000 are to suffice. The next sweep takes the rest. */
const MOST_CORDONS = 200;

/** The next sweep asks an unavailable service again. */
const ATTEMPTS = 3;

/** Takes the turn of a work. @returns false while another execution does it, so that its findings are posted once */
const takeTurn = (ctx: DurableContext, steps: Steps, of: TurnOf): Promise<boolean> =>
  step(ctx, `take the turn: ${of}`, async () => {
    const own = ctx.executionContext.durableExecutionArn;
    const last = await steps.turns.last(of);
    const isFree =
      last === undefined || last === own || (await ifShown(steps.executions.status(last), undefined)) !== "RUNNING";
    return isFree && (await steps.turns.take(of, own, last));
  });

/**
 * Starts the next execution of each operation that lies in the ledger and is to go on: its maintenance window or its date has
 * come, a person cancelled it or wished something of it, or an execution has worked on it long enough. Call inside a step.
 * @throws the first error, after the others were started: an execution that started already starts no second time
 */
async function startDue(steps: Steps): Promise<void> {
  const due = (await steps.ledger.unfinished()).filter((operation) => isDue(operation, steps.now()));
  const starts = await Promise.allSettled(due.map((operation) => startNextExecution(steps.executions, operation)));
  const failed = starts.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}

/** Lists operations that go on though their execution has ended: it left them to the sweep. */
const handedOver = async (steps: Steps): Promise<string[]> =>
  (await steps.ledger.unfinished()).filter((operation) => operation.handedOver).map(({ id }) => id);

/** Publishes the progress of an operation that was handed over, and its end. Call inside a step. */
async function follow(steps: Steps, id: string): Promise<void> {
  const operation = await steps.ledger.operation(id);
  if (!operation?.handedOver) return;
  const { configuration } = await steps.runtime.read(null);
  const watched = { steps, operation: id, pool: operation.handedOver.pool, settings: messageSettings(configuration) };
  // A step that is repeated after a crash may find the operation ended, and its pool not settled.
  const hasEnded = operation.endedAt !== null || (await followHandedOver(watched, operation.handedOver));
  const { request } = operation;
  if (hasEnded && request.command === "add") await steps.reservations.close(request.pool, id);
}

/** Gives back slots of executions that have ended without doing so. Call inside a step. */
async function releaseLeftSlots(steps: Steps): Promise<void> {
  for (const { owner } of await steps.slots.left()) await steps.slots.release(owner);
}

/** Takes marks off nodes: those that others uncordoned, and those whose rollout has ended. Call inside a step. */
async function clearMarks(steps: Steps): Promise<void> {
  const nodes = await steps.nodes.all();
  await clearUncordoned(steps, nodes);
  await unmarkLeft(steps, nodes);
}

/** Lets what the ledger holds of machines expire once they are gone. Call inside a step. */
async function expireGoneMachines(steps: Steps): Promise<void> {
  const { configuration } = await steps.runtime.read(null);
  const living = new Set(
    (await steps.instances.ofCluster(configuration.cluster.id)).map(({ instanceId }) => instanceId),
  );
  await steps.machines.keepWhileMachinesLive((instanceId) => !living.has(instanceId));
}

/** Writes the copies of the audit that S3 did not take when the entries came. Call inside a step. */
async function exportLate(steps: Steps): Promise<void> {
  // While S3 takes none, the next sweep tries again; the doctor says how long they are late.
  for (const { chain } of await steps.audit.lateExports()) if (!(await steps.audit.catchUp(chain))) return;
}

/** By schedule: nothing runs when an execution times out or is stopped, so what it held is given back here, and said. */
export const sweepLedger =
  (steps: Steps) =>
  async ({ only }: SweepStart, ctx: DurableContext): Promise<void> => {
    if (only !== undefined) return sweepOften(ctx, steps, only);
    if (!(await takeTurn(ctx, steps, "sweep"))) return;
    const failures: unknown[] = [];
    const each = eachInto(failures);
    // What a service is too busy for is left to the next sweep; what fails for another reason keeps nothing from its turn.
    const inTurn = (...works: readonly (() => Promise<void>)[]) =>
      each(works, (work) => work().catch(orLater(undefined)));
    // A list that cannot be read keeps nothing else from its turn.
    const found = <T>(find: Promise<readonly T[]>): Promise<readonly T[]> =>
      find.catch((error: unknown) => {
        failures.push(error);
        return [];
      });
    await inTurn(
      () => step(ctx, "announce changed rules", () => announceRules(steps), ATTEMPTS),
      () => beginDue(ctx, steps),
    );
    const lost = await found(step(ctx, "find operations that were lost", () => findLost(steps)));
    failures.push(...lost.filter(({ isUnreadable }) => isUnreadable).map(({ id, why }) => new Error(`${id}: ${why}`)));
    const closable = lost.filter(({ isUnreadable }) => !isUnreadable);
    const looks = closable.filter((one) => !one.isChange);
    const changes = closable.filter((one) => one.isChange);
    await each(looks, (one) => closeOperation(ctx, steps, one));
    const followed = await found(step(ctx, "find operations that were handed over", () => handedOver(steps)));
    await each(followed, (id) => step(ctx, `follow ${id}`, () => follow(steps, id), ATTEMPTS));
    await each(changes, (one) => closeOperation(ctx, steps, one));
    const cordons = await found(step(ctx, "find nodes that operations left", () => leftCordons(steps)));
    await each(cordons.slice(0, MOST_CORDONS), async (record) => {
      const { node, uid, operation } = record;
      const name = `${node} (${uid}) of ${operation}`;
      const outcome = await step(ctx, `give back ${name}`, () => giveBackLeft(steps, record), ATTEMPTS);
      if (outcome) await step(ctx, `say what became of ${name}`, () => tellGivenBack(steps, record, outcome), ATTEMPTS);
    });
    await inTurn(
      () => step(ctx, "give back slots that were left", () => releaseLeftSlots(steps), ATTEMPTS),
      () => remindOfKept(ctx, steps),
      () => followReviews(ctx, steps),
      // EC2 or the release may not be readable now: the next sweep does it, and nothing waits for it.
      () =>
        step(ctx, "expire what machines were given", () => expireGoneMachines(steps), ATTEMPTS).catch(() => undefined),
      () => step(ctx, "copy late entries of the audit", () => exportLate(steps), ATTEMPTS),
      () => step(ctx, "clear marks of uncordoned nodes", () => clearMarks(steps), ATTEMPTS),
    );
    // The execution fails, which an alarm reports, once everything else is done.
    if (failures.length > 0) throw failures[0];
  };

/** Does what cannot wait for the sweep of everything. A press is heard before people are reminded of what it is about. */
async function sweepOften(ctx: DurableContext, steps: Steps, only: "due" | "presses"): Promise<void> {
  const works =
    only === "due" ? [beginDue, redrawMessages, hear, remindOfWaits, callForFleet] : ([hear, callForFleet] as const);
  await each(works, (work) => work(ctx, steps));
}

const beginDue = (ctx: DurableContext, steps: Steps): Promise<void> =>
  step(ctx, "start what is due", () => startDue(steps), ATTEMPTS).catch(orLater(undefined));

const hear = (ctx: DurableContext, steps: Steps): Promise<void> =>
  step(ctx, "hear who has what waits", () => hearPresses(steps), ATTEMPTS).catch(orLater(undefined));

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
    await pageOnce(ctx, steps, { name: `kept ${name}`, since: reminder.since }, () => reminder.notice);
    await step(ctx, `remind of ${name}`, () => remind(steps, reminder), ATTEMPTS);
  });
}

/** Reminds people of the other waits, also past Slack unless a page did so before. One execution at a time has the turn to remind. */
async function remindOfWaits(ctx: DurableContext, steps: Steps): Promise<void> {
  const find = (when: string) =>
    step(ctx, `find what waits for a person${when}`, () => dueWaits(steps), ATTEMPTS).catch(orLater([]));
  if ((await find("")).length === 0 || !(await takeTurn(ctx, steps, "reminders"))) return;
  const due = await find(", in turn");
  await each(due, async (one) => {
    const { wait } = one;
    const name = waitName(wait);
    if (pages(wait.kind))
      await pageOnce(ctx, steps, { name, since: wait.since, isUrgent: isUrgent(wait) }, (now) => waitNotice(wait, now));
    await step(ctx, `remind: ${name}`, () => remindOfWait(steps, one), ATTEMPTS);
  });
}

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("sweep", sweepLedger));
