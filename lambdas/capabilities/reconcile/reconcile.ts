import { type ByRule, isTick, reconcileByRule } from "../../change/inputs/reconcile.ts";
import { reconcileRequested } from "../../change/inputs/requested.ts";
import type { Start } from "../../commands/request.ts";
import { tryingRights } from "../../engine/trying-rights.ts";
import { inputs } from "../../inputs/list.ts";
import { lambdaEntry, type Workflow } from "../../steps/host.ts";

/** Gives nodes the content of an input: by schedule, or because a person asks for it. */
export const reconcileNodes: Workflow<ByRule | Start> = (steps) => (payload, ctx) =>
  isTick(payload)
    ? reconcileByRule({ ctx, steps }, inputs[payload.input], payload.tick)
    : reconcileRequested({ ctx, steps, start: payload });

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("reconcile", reconcileNodes));
