import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { isChange } from "../commands/list.ts";
import { lostNotice, type Notice } from "../messages/operation/escalations.ts";
import { lostMessage } from "../messages/operation/final.ts";
import type { NodeRecord, OperationRecord } from "../records.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { MINUTE, step } from "./engine/durable.ts";
import { escalate } from "./engine/escalate.ts";
import { closeLostNode } from "./node/lost-node.ts";

/** Payload with which a tick of the schedule starts the sweep. */
export interface SweepStart {
  /** The event's id: the same tick delivered twice is the same sweep. */
  readonly tick: string;
}

/** An operation that will not end by itself, and why. */
interface Lost {
  readonly id: string;
  readonly why: string;
}

/** A start may be delivered late; what is younger than this may still begin. */
const YOUNG_MS = 20 * MINUTE;

/** By schedule: nothing runs when an execution times out or is stopped, so what it held is given back here, and said. */
export const sweep =
  (steps: Steps) =>
  async (_start: SweepStart, ctx: DurableContext): Promise<void> => {
    const lost = await step(ctx, "find operations that were lost", () => findLost(steps));
    for (const one of lost) {
      const notice = await step(ctx, `give back what ${one.id} held`, () => giveBack(steps, one));
      if (notice) await escalate(ctx, steps, one.id, notice);
      // Without a release nobody knows the channel, and Slack may be away: people were called past it.
      if (notice) await step(ctx, `say that ${one.id} was lost`, () => say(steps, one)).catch(() => undefined);
      // Last: until then the next sweep finds the operation again.
      await step(ctx, `end ${one.id}`, () => end(steps, one));
    }
  };

async function findLost(steps: Steps): Promise<Lost[]> {
  const found: Lost[] = [];
  for (const operation of await steps.ledger.unfinished()) {
    const why = await howLost(steps, operation);
    if (why !== null) found.push({ id: operation.id, why });
  }
  return found;
}

async function howLost(steps: Steps, { requestedAt, executionArn }: OperationRecord): Promise<string | null> {
  if (steps.now() - Date.parse(requestedAt) < YOUNG_MS) return null;
  if (executionArn === null) return "its execution never started";
  const status = await steps.executions.status(executionArn);
  return status === "RUNNING" ? null : `its execution ended as ${status ?? "unknown"}`;
}

/** The operation, as long as nothing else has ended it. */
async function unended(steps: Steps, id: string): Promise<OperationRecord | null> {
  const operation = await steps.ledger.operation(id);
  return operation?.endedAt === null ? operation : null;
}

/**
 * Gives back what the operation held; nodes whose own execution goes on are left to it.
 * @returns what people must be told past Slack, when it was to change something
 */
async function giveBack(steps: Steps, { id, why }: Lost): Promise<Notice | null> {
  const operation = await unended(steps, id);
  if (!operation) return null;
  for (const node of await steps.ledger.nodes(id)) {
    if (node.endedAt === null && !(await stillRuns(steps, node))) await closeLostNode(steps, node, why);
  }
  if (operation.request.command === "add") await steps.places.closeReservation(operation.request.pool, id);
  return isChange(operation.request.command) ? lostNotice(operation, why, await steps.ledger.nodes(id)) : null;
}

async function say(steps: Steps, { id, why }: Lost): Promise<void> {
  const operation = await unended(steps, id);
  if (!operation) return;
  const { slack, command } = await steps.runtime.rules();
  const message = lostMessage(operation, why, await steps.ledger.nodes(id), command);
  await steps.thread.post(slack.channel, message, `lost ${id}`, operation.messageTs ?? undefined);
}

async function end(steps: Steps, { id, why }: Lost): Promise<void> {
  if (await unended(steps, id))
    await steps.ledger.changeOperation(id, {
      status: "failed",
      summary: why,
      endedAt: steps.timestamp(),
      callbacks: {},
    });
}

const stillRuns = async (steps: Steps, { executionArn }: NodeRecord): Promise<boolean> =>
  executionArn !== null && (await steps.executions.status(executionArn)) === "RUNNING";

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(sweep);
