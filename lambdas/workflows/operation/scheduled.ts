import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Approval } from "../../approval.ts";
import type { Start } from "../../commands/command.ts";
import { DAY_MS } from "../../desired/zones.ts";
import { noSlotSummary, scheduledSummary, type WaitingState } from "../../messages/maintenance/schedule.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import { sentence } from "../../messages/slack/text.ts";
import type { OperationRecord, OperationStatus } from "../../records.ts";
import type { Scheduled } from "../../scheduled.ts";
import type { Steps } from "../../steps/steps.ts";
import { causeOf, MINUTE, step } from "../engine/durable.ts";
import { type Begun, beginOperation, failOperation } from "./lifecycle.ts";
import { publishEnd } from "./publish-end.ts";
import { postFirst, publish, viewOf } from "./publisher.ts";
import { stillAllowed } from "./requester.ts";
import type { When } from "./timing.ts";
import { endUnbegun } from "./unapproved.ts";

/** Time after which an operation is tried again that a freeze or a hold keeps, or whose slot has no end. */
const AGAIN_MS = 15 * MINUTE;

/** The operation that waits, and the number of this execution where it is known. */
type Waiting = Pick<Start, "operation" | "continues">;

/** Everything by which an operation is left in the ledger. */
export interface Wait {
  readonly state: WaitingState;
  readonly when: Pick<When, "timing" | "timeZone" | "pool" | "isDate">;
  /** The question that still waits for votes, with how many of them were judged. */
  readonly open?: { readonly approval: Approval; readonly seen: number };
  /** The node was begun and put back: it is begun anew under another index. */
  readonly wasBegun?: boolean;
}

/** The question has the time of the slot that comes. */
const askedUntil = (approval: Approval, until: number | null): Approval => ({
  ...approval,
  state: "open",
  ...(until === null ? {} : { until: new Date(until).toISOString() }),
});

/** The times of the wait: of the slot that comes, or of the one that is open and in which it is tried again. */
function timesOf({ when: { timing }, state }: Wait, before: Scheduled | undefined, now: number) {
  if (timing.kind === "later") return { from: timing.from, until: timing.until, wakeAt: timing.from };
  const from = before ? Date.parse(before.from) : now;
  if (timing.kind !== "now") return { from, until: null, wakeAt: now + DAY_MS };
  const end = timing.until ?? Number.POSITIVE_INFINITY;
  const wakeAt = state.kind === "stopped" || timing.until === null ? Math.min(end, now + AGAIN_MS) : end;
  return { from, until: timing.until, wakeAt };
}

/** Writes down for what the operation waits, while its execution still publishes it. Belongs into a step. */
async function write(steps: Steps, { operation, continues }: Waiting, wait: Wait) {
  const before = (await steps.ledger.operation(operation))?.scheduled;
  const part = continues ?? before?.part ?? 1;
  const { when, state, open, wasBegun } = wait;
  const times = timesOf(wait, before, steps.now());
  const tries = (before?.tries ?? 0) + (wasBegun ? 1 : 0);
  const { timeZone, isDate, pool } = when;
  const scheduled: Scheduled = {
    from: new Date(times.from).toISOString(),
    until: times.until === null ? null : new Date(times.until).toISOString(),
    wakeAt: new Date(times.wakeAt).toISOString(),
    ...{ timeZone, isDate, part, parkedAt: null, tries },
  };
  const why = "why" in state ? state.why : "";
  const summary =
    when.timing.kind === "never"
      ? noSlotSummary(why, operation)
      : scheduledSummary(state, { ...times, timeZone, pool, isDate }, operation);
  await steps.audit.append({ operation }, `scheduled ${part}`, {
    what: "scheduled",
    // Other times than that of a slot to come are those of this step, and a step may be repeated.
    detail: { state: state.kind, ...(when.timing.kind === "later" ? { from: scheduled.from } : {}) },
  });
  await steps.ledger.changeOperation(operation, {
    ...{ status: "scheduled", summary, scheduled, callbacks: {} },
    ...(open ? { approval: askedUntil(open.approval, times.until) } : {}),
  });
}

/** Has a person voted or cancelled since this execution looked last? */
async function isWanted(steps: Steps, { id, cancelledBy }: OperationRecord, { open }: Wait): Promise<boolean> {
  if (cancelledBy !== null) return true;
  return open !== undefined && (await steps.ledger.votes(id, open.approval.asking)).length > open.seen;
}

/** Leaves it to the schedule. What came while this execution ended is seen by the next tick. Belongs into a step. */
async function leave(steps: Steps, operation: string, wait: Wait): Promise<void> {
  const record = await steps.ledger.operation(operation);
  if (!record?.scheduled || record.endedAt !== null) return;
  const parked = { ...record.scheduled, parkedAt: steps.timestamp() };
  await steps.ledger.changeOperation(operation, { scheduled: parked });
  const seen = await steps.ledger.operation(operation);
  if (seen && (await isWanted(steps, seen, wait)))
    await steps.ledger.changeOperation(operation, { scheduled: { ...parked, wakeAt: steps.timestamp() } });
}

/**
 * Leaves an operation in the ledger until its time, and says so in its message. The schedule starts the next execution, or a
 * person who votes or cancels.
 */
export async function postpone(ctx: DurableContext, steps: Steps, start: Waiting, wait: Wait): Promise<void> {
  const { operation } = start;
  await step(ctx, "write for what it waits", () => write(steps, start, wait));
  await publishEnd(ctx, steps, async () => {
    const { configuration } = await steps.runtime.read(null);
    const settings = messageSettings(configuration);
    const published = await postFirst(steps, operation, null, settings);
    const view = await viewOf(steps, operation, null);
    return view ? publish(steps, view, { ...published, view: "" }, settings) : published;
  });
  await step(ctx, "leave it to the schedule", () => leave(steps, operation, wait));
}

/**
 * Takes an operation over that lies in the ledger, on the newest release. Belongs into a step.
 * @returns null when it has ended, or another execution has taken it over
 * @throws Forbidden when the requester may not any more
 */
async function takeOver(steps: Steps, start: Start, continues: number, executionArn: string): Promise<Begun | null> {
  const record = await steps.ledger.operation(start.operation);
  const { scheduled } = record ?? {};
  if (!record || !scheduled || record.endedAt !== null) return null;
  const isOwn = scheduled.part === continues && record.executionArn === executionArn;
  if (scheduled.part !== continues - 1 && !isOwn) return null;
  const { version, configuration } = await steps.runtime.read(null);
  await steps.ledger.changeOperation(start.operation, {
    ...{ status: "running", executionArn, callbacks: {} },
    scheduled: { ...scheduled, part: continues, parkedAt: null },
  });
  await stillAllowed(steps, start, configuration);
  return { runtimeVersion: version, ...messageSettings(configuration) };
}

/** Begins an operation, or goes on with one that lay in the ledger. Belongs into a step. @returns null when there is nothing to do */
export const beginOrContinue = (steps: Steps, start: Start, executionArn: string): Promise<Begun | null> =>
  start.continues === undefined
    ? beginOperation(steps, start, executionArn)
    : takeOver(steps, start, start.continues, executionArn);

/** Times that the node of an operation was begun and put back. Belongs into a step. */
export const triesOf = async (steps: Steps, { operation }: Start): Promise<number> =>
  (await steps.ledger.operation(operation))?.scheduled?.tries ?? 0;

/** Status of an operation that waited, by the kind of the error with which it does not begin. */
const endings: Readonly<Record<string, OperationStatus>> = {
  UserError: "refused",
  Forbidden: "refused",
  Refused: "refused",
};

/** Has the operation a message that asks or waits, while no work on a node has begun? Belongs into a step. */
async function onlyAsked(steps: Steps, operation: string): Promise<boolean> {
  const record = await steps.ledger.operation(operation);
  return typeof record?.messageTs === "string" && (await steps.ledger.nodes(operation)).length === 0;
}

/** Ends an operation that got nowhere: in a message of its own, or in the one that it has since it asks or waits. */
export async function failToBegin(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  name: string,
  error: unknown,
): Promise<void> {
  const isShown =
    start.continues !== undefined || (await step(ctx, "has it a message", () => onlyAsked(steps, start.operation)));
  if (!isShown) return step(ctx, name, async () => void (await failOperation(steps, start, error)));
  const cause = causeOf(error);
  const settings = await step(ctx, "how its message is written", async () =>
    messageSettings((await steps.runtime.read(null)).configuration),
  );
  const summary = `${sentence(cause.message.slice(0, 500))} Nothing was changed.`;
  await endUnbegun(ctx, steps, start.operation, settings, { status: endings[cause.name] ?? "failed", summary });
}
