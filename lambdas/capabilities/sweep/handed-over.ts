import { followHandedOver } from "../../change/operation/progress.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import type { Steps } from "../../steps/steps.ts";

/** Lists operations that go on though their execution has ended: it left them to the sweep. */
export const handedOver = async (steps: Steps): Promise<string[]> =>
  (await steps.ledger.unfinished()).filter((operation) => operation.handedOver).map(({ id }) => id);

/** Publishes the progress of an operation that was handed over, and its end. Belongs into a step. */
export async function follow(steps: Steps, id: string): Promise<void> {
  const operation = await steps.ledger.operation(id);
  if (!operation?.handedOver) return;
  const { configuration } = await steps.runtime.read(null);
  const watched = { steps, operation: id, pool: operation.handedOver.pool, settings: messageSettings(configuration) };
  // A step that is repeated after a crash may find the operation ended, and its pool not settled.
  const hasEnded = operation.endedAt !== null || (await followHandedOver(watched, operation.handedOver));
  const { request } = operation;
  if (hasEnded && request.command === "add") await steps.reservations.close(request.pool, id);
}
