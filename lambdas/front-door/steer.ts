import { isRollout } from "../commands/command.ts";
import type { Steered } from "../messages/rollout/steer.ts";
import type { OperationRecord, Steering } from "../records.ts";
import { executionName } from "../steps/executions.ts";
import { startOf } from "./accept.ts";
import type { FrontDoor } from "./front-door.ts";

/**
 * Starts the next execution of a rollout that waits without one; its name is derived from how many worked on it, so that two
 * presses start one.
 */
export async function unpark(door: FrontDoor, record: OperationRecord): Promise<void> {
  const { rollout } = record;
  if (!rollout?.parkedAt) return;
  const continues = rollout.part + 1;
  const name = executionName(record.id, "part", String(continues));
  await door.steps.executions.start("reboot-nodes", name, { ...startOf(record), notAfter: 0, continues });
}

/**
 * Asks a rollout to pause or to go on: writes it down and wakes the workflow, which judges the person again and acts. A wake-up
 * that is lost is made up for by the workflow's next look.
 */
export async function steer(door: FrontDoor, operation: string, asked: Omit<Steering, "at">): Promise<Steered> {
  const before = await door.steps.ledger.operation(operation);
  if (!before) return { kind: "unknown", operation };
  if (!isRollout(before.request)) return { kind: "no rollout", operation };
  if (before.endedAt !== null || !before.rollout) return { kind: "not running", operation };
  const record = await door.steps.ledger.steer(operation, { ...asked, at: door.steps.timestamp() });
  if (!record) return { kind: "not running", operation };
  const { watch } = record.callbacks;
  if (watch) await door.steps.executions.complete(watch, {});
  await unpark(door, record);
  return { kind: "heard", operation, decision: asked.decision };
}
