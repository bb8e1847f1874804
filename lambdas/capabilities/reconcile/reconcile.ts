import type { Start } from "../../commands/request.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import { lambdaEntry, type Workflow } from "../../steps/host.ts";
import { reconcileRequested } from "./requested.ts";
import { reconcileByRule } from "./tick.ts";

/** Payload with which a tick of the schedule starts the work. */
interface ReconcileTick {
  /** Id of the event: a tick that is delivered twice starts one execution. */
  readonly tick: string;
}

const isTick = (payload: ReconcileTick | Start): payload is ReconcileTick => "tick" in payload;

/** Gives nodes the content of the cluster's inputs: by schedule, or because a person asks for it. */
export const reconcileNodes: Workflow<ReconcileTick | Start> = (steps) => (payload, ctx) =>
  isTick(payload) ? reconcileByRule({ ctx, steps }, payload.tick) : reconcileRequested({ ctx, steps, start: payload });

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("reconcile", reconcileNodes));
