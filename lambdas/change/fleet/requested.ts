import { hasPoolPolicies } from "../../commands/approvals.ts";
import type { Request } from "../../commands/request.ts";
import { step } from "../../engine/durable.ts";
import type { Message, PublishedMessage } from "../../records/records.ts";
import { beginAccepted, failOperation, showOnly } from "../operation/lifecycle.ts";
import type { Execution, Op } from "../operation/op.ts";
import { publishWatched } from "../operation/progress.ts";
import { publishEnd } from "../operation/publish-end.ts";
import { checkOrigin } from "../operation/requester.ts";
import { changeFleet, type FleetEnd } from "./change-fleet.ts";
import type { FleetMachine, FleetOperation, FleetRow } from "./row.ts";
import { settleLeft } from "./settle.ts";

/** A request to change many machines in one execution. */
type FleetRequest = Extract<Request, { readonly command: "guard" | "reconcile" }>;

/** One kind of change of many machines that a person requests, with everything in which two kinds differ. */
export interface RequestedChange<R extends FleetRequest, P> {
  /** Finds the machines, and judges them and the requester. */
  readonly plan: (op: Op<R>) => Promise<P>;
  /** Makes the message of a dry run. Belongs into a step. */
  readonly dryRun: (op: Op<R>, plan: P) => Promise<Message>;
  /** Changes the machines, and records the end of the operation. @returns its message; null if it has none */
  readonly change: (op: Op<R>, plan: P) => Promise<PublishedMessage | null>;
}

/** The watch by which an operation's message is published. */
export const watchedBy = ({ steps, start, settings }: Op<FleetRequest>) =>
  ({ steps, operation: start.operation, pool: null, settings }) as const;

/**
 * Judges the requester by the policy of each pool whose machines would be changed, and records the only pool, by which a
 * cancellation is judged. Belongs into a step.
 * @throws Forbidden when the requester may not change machines of a pool
 */
export async function checkPools(op: Execution, machines: readonly { readonly pool: string | null }[]): Promise<void> {
  const { steps, start } = op;
  const pools = [...new Set(machines.map(({ pool }) => pool))];
  const rules = await steps.runtime.rules();
  if (hasPoolPolicies(rules)) for (const pool of pools) await checkOrigin(op, rules, pool);
  const [only = null, ...others] = pools;
  if (others.length === 0) await steps.ledger.changeOperation(start.operation, { inPool: only });
}

/** Changes the machines; after an error it settles those that remain. @throws the error */
export async function changeOrSettle<M extends FleetMachine>(
  op: FleetOperation,
  row: FleetRow<M>,
  machines: readonly M[],
): Promise<FleetEnd> {
  try {
    return await changeFleet(op, row, machines);
  } catch (error) {
    await settleLeft(op, row, error);
    throw error;
  }
}

/** Carries out a person's request to change many machines, or shows what it would do. */
export async function changeRequested<R extends FleetRequest, P>(
  execution: Execution,
  request: R,
  row: RequestedChange<R, P>,
): Promise<void> {
  const { ctx, steps } = execution;
  try {
    const settings = await step(ctx, "begin", () => beginAccepted(execution));
    if (!settings) return;
    const op = { ...execution, request, settings };
    const plan = await row.plan(op);
    if (request.dryRun)
      return await step(ctx, "show what would happen", async () => showOnly(op, await row.dryRun(op, plan)));
    const published = await row.change(op, plan);
    if (published) await publishEnd(ctx, steps, () => publishWatched(watchedBy(op), published));
  } catch (error) {
    await step(ctx, "end without a result", () => failOperation(execution, error));
  }
}
