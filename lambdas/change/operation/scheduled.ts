import type { Request, Start } from "../../commands/request.ts";
import { causeOf, kindOf, MINUTE, step } from "../../engine/durable.ts";
import { noWindowSummary, scheduledSummary, type WaitingState } from "../../messages/maintenance/schedule.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import { sentence } from "../../messages/slack/text.ts";
import type { Approval } from "../../records/approval.ts";
import type { Message, OperationRecord } from "../../records/records.ts";
import type { ScheduledStart } from "../../records/scheduled.ts";
import type { Steps } from "../../steps/steps.ts";
import { DAY_MS } from "../../time/zones.ts";
import { endUnbegun } from "../approval/unapproved.ts";
import { wasLeftToThis } from "./accepted.ts";
import { beginAccepted, endings, failOperation } from "./lifecycle.ts";
import { type DurableSteps, type Execution, type Op, type OperationSettings, settingsOf } from "./op.ts";
import { publishEnd } from "./publish-end.ts";
import { postFirst, publish } from "./publisher.ts";
import { stillAllowed } from "./requester.ts";
import type { When } from "./timing.ts";
import { viewOf } from "./view.ts";

/** Milliseconds until an operation is retried that a freeze or hold prevents, or whose window has no end. */
const AGAIN_MS = 15 * MINUTE;

/** An operation that waits; `continues` is the number of its execution, if it is not the first. */
interface Waiting extends DurableSteps, Pick<Execution, "onLeft"> {
  readonly start: Pick<Start, "operation" | "continues">;
}

/** The state in which an operation waits in the ledger. */
export interface ParkedOperation {
  readonly state: WaitingState;
  readonly when: Pick<When, "timing" | "timeZone" | "pool" | "isDate">;
  /** The question that still waits for votes, and the number of votes that were judged. */
  readonly open?: { readonly approval: Approval; readonly seen: number };
  /** The node was begun and restored: the next execution begins it under a new index. */
  readonly wasBegun?: boolean;
  /** Its nodes by its plan; those of its last wait if none are given. */
  readonly nodes?: ScheduledStart["nodes"];
}

/** Extends the question to the end of the next window. */
const askedUntil = (approval: Approval, until: number | null): Approval => ({
  ...approval,
  state: "open",
  ...(until === null ? {} : { until: new Date(until).toISOString() }),
});

/** The times of the wait: of the next window, or of the open window in which the operation is retried. */
function timesOf({ when: { timing }, state }: ParkedOperation, before: ScheduledStart | undefined, now: number) {
  if (timing.kind === "later") return { from: timing.from, until: timing.until, wakeAt: timing.from };
  const from = before ? Date.parse(before.from) : now;
  if (timing.kind !== "now") return { from, until: null, wakeAt: now + DAY_MS };
  const end = timing.until ?? Number.POSITIVE_INFINITY;
  const wakeAt = state.kind === "stopped" || timing.until === null ? Math.min(end, now + AGAIN_MS) : end;
  return { from, until: timing.until, wakeAt };
}

/** Records the wait while the execution still publishes the operation. Belongs into a step. */
async function write({ steps, start }: Waiting, wait: ParkedOperation) {
  const { operation, continues } = start;
  const before = (await steps.ledger.operation(operation))?.scheduled;
  const part = continues ?? before?.part ?? 1;
  const { when, state, open, wasBegun, nodes = before?.nodes } = wait;
  const times = timesOf(wait, before, steps.now());
  const tries = (before?.tries ?? 0) + (wasBegun ? 1 : 0);
  const { timeZone, isDate, pool } = when;
  const scheduled: ScheduledStart = {
    from: new Date(times.from).toISOString(),
    until: times.until === null ? null : new Date(times.until).toISOString(),
    wakeAt: new Date(times.wakeAt).toISOString(),
    ...{ timeZone, isDate, part, parkedAt: null, tries },
    ...(nodes ? { nodes } : {}),
  };
  const why = "why" in state ? state.why : "";
  const summary =
    when.timing.kind === "never"
      ? noWindowSummary(why, operation)
      : scheduledSummary(state, { ...times, timeZone, pool, isDate }, operation);
  await steps.audit.append({ operation }, `scheduled ${part}`, {
    what: "scheduled",
    // Only the start of a coming window is the same if the step is repeated; other times depend on the clock.
    detail: { state: state.kind, ...(when.timing.kind === "later" ? { from: scheduled.from } : {}) },
  });
  await steps.ledger.changeOperation(operation, {
    ...{ status: "scheduled", summary, scheduled, callbacks: {} },
    ...(open ? { approval: askedUntil(open.approval, times.until) } : {}),
  });
}

/** Has a person voted or cancelled since the last poll of this execution? */
async function isWanted(
  steps: Steps,
  { id, cancelledBy }: OperationRecord,
  { open }: ParkedOperation,
): Promise<boolean> {
  if (cancelledBy !== null) return true;
  return open !== undefined && (await steps.ledger.votes(id, open.approval)).length > open.seen;
}

/**
 * Parks the operation. The next tick sees votes and cancellations that came while this execution ended. Belongs into a
 * step.
 */
async function leave(steps: Steps, operation: string, wait: ParkedOperation): Promise<void> {
  const record = await steps.ledger.operation(operation);
  if (!record?.scheduled || record.endedAt !== null) return;
  const parked = { ...record.scheduled, parkedAt: steps.timestamp() };
  await steps.ledger.changeOperation(operation, { scheduled: parked });
  const seen = await steps.ledger.operation(operation);
  if (seen && (await isWanted(steps, seen, wait)))
    await steps.ledger.changeOperation(operation, { scheduled: { ...parked, wakeAt: steps.timestamp() } });
}

/**
 * Parks an operation in the ledger until its time, and shows that in its message. The schedule starts the next
 * execution, also after a vote or a cancellation.
 */
export async function postpone(waiting: Waiting, wait: ParkedOperation): Promise<void> {
  const { ctx, steps, start } = waiting;
  const { operation } = start;
  await step(ctx, "write for what it waits", () => write(waiting, wait));
  await publishEnd(ctx, steps, async () => {
    const { configuration } = await steps.runtime.read(null);
    const settings = messageSettings(configuration);
    const published = await postFirst(steps, operation, null, settings);
    const view = await viewOf(steps, operation, null);
    return view ? publish(steps, view, { ...published, view: "" }, settings) : published;
  });
  await step(ctx, "leave it to the schedule", () => leave(steps, operation, wait));
  waiting.onLeft?.((start.continues ?? 1) + 1);
}

/**
 * Continues a parked operation on the newest release. Belongs into a step.
 * @returns null when it has ended, or another execution has continued it
 * @throws Forbidden when the requester has lost the permission
 */
async function takeOver(op: Execution, continues: number): Promise<OperationSettings | null> {
  const { ctx, steps, start } = op;
  const { durableExecutionArn: executionArn } = ctx.executionContext;
  const record = await steps.ledger.operation(start.operation);
  const { scheduled } = record ?? {};
  if (!record || !scheduled || record.endedAt !== null) return null;
  const isOwn = scheduled.part === continues && record.executionArn === executionArn;
  if (scheduled.part !== continues - 1 && !isOwn) return null;
  const release = await steps.runtime.read(null);
  await steps.ledger.changeOperation(start.operation, {
    ...{ status: "running", executionArn, continuedAt: steps.timestamp(), callbacks: {} },
    scheduled: { ...scheduled, part: continues, parkedAt: null },
  });
  await stillAllowed(op, release.configuration);
  return settingsOf(release);
}

/**
 * Begins an operation that the front door has accepted, or continues one that an execution has left. @returns null when
 * there is nothing to do
 */
export async function begin<R extends Request>(execution: Execution, request: R): Promise<Op<R> | null> {
  const { ctx, start } = execution;
  const { continues } = start;
  if (continues !== undefined && !(await wasLeftToThis(execution, continues))) return null;
  const settings = await step(ctx, "begin", () =>
    continues === undefined ? beginAccepted(execution) : takeOver(execution, continues),
  );
  return settings && { ...execution, request, settings };
}

/** Number of times that the operation's node was begun and restored. Belongs into a step. */
export const triesOf = async ({ steps, start: { operation } }: Execution): Promise<number> =>
  (await steps.ledger.operation(operation))?.scheduled?.tries ?? 0;

/**
 * Status of an operation with a message by the kind of the error that ends it. A node that no longer exists is not its
 * requester's mistake, as it is before: people have seen the operation, so the list of operations keeps it.
 */
const endingsOnceShown: typeof endings = { ...endings, UserError: "refused" };

/** Has the operation a message, although no work on a node has begun? Belongs into a step. */
async function onlyAsked(steps: Steps, operation: string): Promise<boolean> {
  const record = await steps.ledger.operation(operation);
  return typeof record?.messageTs === "string" && (await steps.ledger.nodes(operation)).length === 0;
}

/** Notifies people outside the channel that an operation has ended. Belongs into a step. */
type OnRefusal = (execution: Execution, said: Message) => Promise<void>;

/** Ends an operation that failed before its work began: in its message if it has one, else in a new message. */
export async function failToBegin(
  execution: Execution,
  name: string,
  error: unknown,
  onRefusal?: OnRefusal,
): Promise<void> {
  const { ctx, steps, start } = execution;
  const isShown =
    start.continues !== undefined || (await step(ctx, "has it a message", () => onlyAsked(steps, start.operation)));
  if (!isShown)
    return step(ctx, name, async () => {
      const said = await failOperation(execution, error);
      await onRefusal?.(execution, said);
    });
  const cause = causeOf(error);
  const settings = await step(ctx, "how its message is written", async () =>
    settingsOf(await steps.runtime.read(null)),
  );
  const summary = `${sentence(cause.message.slice(0, 500))} Nothing was changed.`;
  await endUnbegun(
    { ...execution, request: start.request, settings },
    { status: endingsOnceShown[kindOf(error)] ?? "failed", summary },
  );
}
