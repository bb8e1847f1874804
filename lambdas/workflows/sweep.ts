import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { isChange } from "../commands/list.ts";
import { lostMessage } from "../messages/endings.ts";
import { lostNotice, type Notice } from "../messages/notices.ts";
import type { NodeRecord, OperationRecord } from "../records.ts";
import { deployed } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { callPeople } from "./call-people.ts";
import { MINUTE, step } from "./durably.ts";
import { closeLostNode } from "./lost-node.ts";

/** What a tick of the schedule starts. */
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

/** Operations that are looked at: older ones were looked at by earlier sweeps. */
const LOOKED_AT = 200;

/** By schedule: nothing runs when an execution times out or is stopped, so what it held is given back here, and said. */
export const sweep =
  (steps: Steps) =>
  async (_start: SweepStart, ctx: DurableContext): Promise<void> => {
    const lost = await step(ctx, "find operations that were lost", () => findLost(steps));
    for (const { id, why } of lost) {
      const notice = await step(ctx, `close ${id}`, () => close(steps, id, why));
      if (notice) await callPeople(ctx, steps, id, notice);
    }
  };

async function findLost(steps: Steps): Promise<Lost[]> {
  const found: Lost[] = [];
  for (const operation of await steps.ledger.operations(LOOKED_AT)) {
    const why = operation.endedAt === null ? await howLost(steps, operation) : null;
    if (why !== null) found.push({ id: operation.id, why });
  }
  return found;
}

async function howLost(steps: Steps, { requestedAt, executionArn }: OperationRecord): Promise<string | null> {
  if (steps.now() - Date.parse(requestedAt) < YOUNG_MS) return null;
  if (executionArn === null) return "it was asked for, but never began";
  const status = await steps.executions.status(executionArn);
  return status === "RUNNING" ? null : `its execution ended as ${status ?? "unknown"}`;
}

/**
 * Ends the operation in the ledger and gives back what it held; nodes whose own execution goes on are left to it.
 * @returns what people must be told past Slack, when it was to change something
 */
async function close(steps: Steps, id: string, why: string): Promise<Notice | null> {
  const operation = await steps.ledger.operation(id);
  if (!operation || operation.endedAt !== null) return null;
  for (const node of await steps.ledger.nodes(id)) {
    if (node.endedAt === null && !(await stillRuns(steps, node))) await closeLostNode(steps, node, why);
  }
  if (operation.request.command === "add") await steps.places.closeReservation(operation.request.pool, id);
  await steps.ledger.changeOperation(id, { status: "failed", summary: why, endedAt: steps.timestamp(), callbacks: {} });
  if (!isChange(operation.request.command)) return null;
  const { configuration } = await steps.runtime.read(null);
  const nodes = await steps.ledger.nodes(id);
  const message = lostMessage(operation, why, nodes, configuration.command);
  await steps.thread.post(configuration.slack.channel, message, `lost ${id}`, operation.messageTs ?? undefined);
  return lostNotice(operation, why, nodes);
}

const stillRuns = async (steps: Steps, { executionArn }: NodeRecord): Promise<boolean> =>
  executionArn !== null && (await steps.executions.status(executionArn)) === "RUNNING";

/** The Lambda entry. */
export const handler = deployed(sweep);
