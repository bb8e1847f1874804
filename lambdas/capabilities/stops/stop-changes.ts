import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { failOperation } from "../../change/operation/lifecycle.ts";
import type { Op } from "../../change/operation/op.ts";
import { publishEnd } from "../../change/operation/publish-end.ts";
import { postFirst, publish } from "../../change/operation/publisher.ts";
import { begin } from "../../change/operation/scheduled.ts";
import { viewOf } from "../../change/operation/view.ts";
import type { Request, Start } from "../../commands/request.ts";
import { step } from "../../engine/durable.ts";
import { UserError } from "../../errors.ts";
import { endOfStop } from "../../messages/stops/end.ts";
import { endedSummary, stopNeedsReason, stopSummary } from "../../messages/stops/stop.ts";
import { originName } from "../../records/origin.ts";
import { lambdaEntry } from "../../steps/host.ts";
import type { Steps } from "../../steps/steps.ts";
import { zoneOf } from "../../time/calendar.ts";
import type { Stop, StopTarget } from "../../time/stops.ts";
import { type StopRequest, stopTargets } from "./targets.ts";

/** A command that sets a stop. */
type Setting = Extract<StopRequest, { command: "freeze" | "hold" }>;

const isSetting = (request: StopRequest): request is Setting =>
  request.command === "freeze" || request.command === "hold";

/** Commands that set or end a stop. */
const STOPS: ReadonlySet<Request["command"]> = new Set<StopRequest["command"]>(["freeze", "thaw", "hold", "unhold"]);

const isStop = (request: Request): request is StopRequest => STOPS.has(request.command);

/** @throws UserError without a reason */
function checkReason(request: StopRequest): void {
  if (isSetting(request) && !request.reason) throw new UserError(stopNeedsReason(request.command));
}

/** Pool whose time zone applies to a time without one. */
const poolOf = ([target]: readonly StopTarget[]): string | null => (target?.kind === "pool" ? target.pool : null);

/**
 * Parses the end of a stop. Call inside a step.
 * @returns ISO 8601; null for one without an end, and for a request that ends one
 * @throws UserError for an invalid time
 */
async function endWanted(steps: Steps, request: StopRequest, targets: readonly StopTarget[]): Promise<string | null> {
  if (!isSetting(request)) return null;
  const { configuration } = await steps.runtime.read(null);
  const end = endOfStop(request, steps.now(), zoneOf(configuration, poolOf(targets)));
  if ("wrong" in end) throw new UserError(end.wrong);
  return end.until === null ? null : new Date(end.until).toISOString();
}

async function set(
  { steps, start }: Op,
  { command: kind, reason = "" }: Setting,
  targets: readonly StopTarget[],
  until: string | null,
): Promise<string> {
  const stop = { kind, reason, by: originName(start), at: steps.timestamp(), until };
  for (const target of targets) await steps.stops.put({ ...stop, target });
  return stopSummary(stop, targets);
}

async function end(steps: Steps, kind: Stop["kind"], targets: readonly StopTarget[]): Promise<string> {
  const ended: StopTarget[] = [];
  for (const target of targets) if (await steps.stops.end(kind, target)) ended.push(target);
  return endedSummary(kind, { targets, ended, left: await steps.stops.all() });
}

/** Sets or ends the stop, with its audit entry. Call inside a step. */
async function change(op: Op<StopRequest>, targets: readonly StopTarget[], until: string | null): Promise<void> {
  const { steps, start, request } = op;
  const { operation } = start;
  const summary = isSetting(request)
    ? await set(op, request, targets, until)
    : await end(steps, request.command === "thaw" ? "freeze" : "hold", targets);
  const names = targets.map((target) => ("name" in target ? target.name : "pool" in target ? target.pool : "cluster"));
  await steps.audit.append({ operation }, "change", {
    what: "changed",
    detail: { change: request.command, of: names },
  });
  await steps.ledger.changeOperation(operation, {
    status: "succeeded",
    summary,
    endedAt: steps.timestamp(),
    callbacks: {},
  });
}

async function carryOut(op: Op<StopRequest>): Promise<void> {
  const { ctx, steps, start, request, settings } = op;
  const targets = await step(ctx, "judge", async () => {
    checkReason(request);
    return stopTargets(op);
  });
  const until = await step(ctx, "when it ends", () => endWanted(steps, request, targets));
  await step(ctx, request.command, () => change(op, targets, until));
  await publishEnd(ctx, steps, async () => {
    const published = await postFirst(steps, start.operation, null, settings);
    const view = await viewOf(steps, start.operation, null);
    return view ? publish(steps, view, published, settings) : published;
  });
}

/** `/win freeze`, `thaw`, `hold` and `unhold`: sets and lifts freezes and holds. */
export const stopChanges =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request } = start;
    const execution = { ctx, steps, start };
    if (!isStop(request)) throw new Error("this workflow freezes and holds nodes and nothing else");
    try {
      const op = await begin(execution, request);
      if (op) await carryOut(op);
    } catch (error) {
      await step(ctx, "end without a change", () => failOperation(execution, error));
    }
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(stopChanges);
