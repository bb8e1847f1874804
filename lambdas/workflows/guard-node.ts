import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Request, Start } from "../commands/command.ts";
import { guardDryRun, guardSummary } from "../messages/node/guard.ts";
import { shownOnly } from "../messages/operation/dry-runs.ts";
import type { Published } from "../records.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { causeOf, step } from "./engine/durable.ts";
import { install } from "./guard/install.ts";
import { claim, goneSince, type Member, settle, settleLeft } from "./guard/members.ts";
import { type Target, targetsOf } from "./guard/targets.ts";
import { beginOperation, failOperation, tellRequester } from "./operation/lifecycle.ts";
import type { Execution, OperationSettings } from "./operation/op.ts";
import { publishWatched } from "./operation/progress.ts";
import { publishEnd } from "./operation/publish-end.ts";
import { postFirst } from "./operation/publisher.ts";

type Wanted = Extract<Request, { command: "guard" }>;

/** A guard operation whose leases are held and whose message was posted. */
interface Started {
  readonly members: readonly Member[];
  readonly published: Published;
}

async function show(execution: Execution, targets: readonly Target[]): Promise<void> {
  const { steps, start } = execution;
  await tellRequester(execution, guardDryRun(targets));
  const end = { status: "succeeded", summary: shownOnly, endedAt: steps.timestamp() } as const;
  await steps.ledger.changeOperation(start.operation, end);
}

async function begin(
  steps: Steps,
  { operation }: Start,
  targets: readonly Target[],
  begun: OperationSettings,
): Promise<Started> {
  const members = await claim(steps, operation, targets);
  await steps.ledger.changeOperation(operation, { status: "running" });
  return { members, published: await postFirst(steps, operation, null, begun) };
}

/** Ends the operation by the results of its nodes. Belongs into a step. */
async function end(steps: Steps, operation: string): Promise<void> {
  const nodes = await steps.ledger.nodes(operation);
  const by = (await steps.ledger.operation(operation))?.cancelledBy ?? null;
  const isWhole = nodes.every(({ status }) => status === "succeeded");
  const status = isWhole ? "succeeded" : by === null ? "failed" : "cancelled";
  const endedAt = steps.timestamp();
  await steps.ledger.changeOperation(operation, { status, summary: guardSummary(nodes), endedAt, callbacks: {} });
}

async function work(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: OperationSettings,
  wanted: Wanted,
): Promise<void> {
  const { operation } = start;
  const targets = await step(ctx, "judge", () => targetsOf({ ctx, steps, start }, begun, wanted.targets));
  if (wanted.dryRun) return step(ctx, "show what would happen", () => show({ ctx, steps, start }, targets));
  const { members, published } = await step(ctx, "take the leases", () => begin(steps, start, targets, begun));
  const release = await step(ctx, "read the release", () => steps.runtime.read(begun.runtimeVersion));
  const outcomes = await install({ ctx, steps, operation, release }, members);
  await step(ctx, "settle", async () => {
    const gone = await goneSince(steps, members);
    for (const member of members) {
      const { instanceId } = member;
      const outcome = outcomes.get(instanceId) ?? { state: "failed", why: "it was not worked on" };
      await settle(steps, operation, member, outcome, gone.includes(instanceId));
    }
  });
  await step(ctx, "end", () => end(steps, operation));
  const watched = { steps, operation, pool: null, settings: begun };
  await publishEnd(ctx, steps, () => publishWatched(watched, published));
}

/** `/win guard`: puts the guard of the metadata route on machines in service and proves it, and changes nothing else. */
export const guardNode =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    const { request, operation } = start;
    if (request.command !== "guard") throw new Error("this workflow guards the metadata route and nothing else");
    try {
      const begun = await step(ctx, "begin", () => beginOperation({ ctx, steps, start }));
      if (begun) await work(ctx, steps, start, begun, request);
    } catch (error) {
      await step(ctx, "settle what is left", () => settleLeft(steps, operation, causeOf(error).message));
      await step(ctx, "end without a result", () => failOperation({ ctx, steps, start }, error));
    }
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(guardNode);
