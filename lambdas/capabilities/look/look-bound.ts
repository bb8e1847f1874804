import type { Execution } from "../../change/operation/op.ts";
import { isChange } from "../../commands/list.ts";
import { UserError } from "../../errors.ts";
import { titleOf } from "../../messages/command/syntax.ts";
import { code, counted, some } from "../../messages/slack/text.ts";
import { requesterOf } from "../../records/origin.ts";
import type { OperationRecord } from "../../records/records.ts";

/** Looks that run at once: each is an execution, and some send a command to a machine. */
const MOST_LOOKS = { ofPerson: 3, ofCluster: 20 } as const;

/** Milliseconds after which a look runs no more, even if its record has no end: the doctor takes the longest. */
const LONGEST_MS = 10 * 60_000;

const isEarlier = (one: OperationRecord, other: OperationRecord): boolean =>
  one.requestedAt < other.requestedAt || (one.requestedAt === other.requestedAt && one.id < other.id);

/**
 * Finds the reason why a look must wait. Of looks that begin together the later ones wait, so that some are answered.
 * @param unfinished operations of the cluster that have not ended
 * @param now milliseconds since the epoch
 * @returns the sentence for the requester, or null
 */
export function lookObstacle(
  look: OperationRecord,
  unfinished: readonly OperationRecord[],
  now: number,
): string | null {
  const running = unfinished.filter(
    (one) => !isChange(one.request.command) && isEarlier(one, look) && now - Date.parse(one.requestedAt) < LONGEST_MS,
  );
  const requester = requesterOf(look)?.userId;
  const own = running.filter((one) => requesterOf(one)?.userId === requester);
  if (own.length >= MOST_LOOKS.ofPerson) {
    const titles = own.map(({ request }) => code(titleOf(request)));
    return `${counted(own.length, "look")} of yours still run: ${some(titles, MOST_LOOKS.ofPerson)}. Wait for their answers, then run the command again.`;
  }
  return running.length >= MOST_LOOKS.ofCluster
    ? `${counted(running.length, "look")} still run in this cluster, and no more run at once. Run the command again in a minute.`
    : null;
}

/** Checks that few enough looks run. Belongs into a step. @throws UserError with what still runs */
export async function checkLooks({ steps, start }: Execution): Promise<void> {
  const [look, unfinished] = await Promise.all([steps.ledger.operation(start.operation), steps.ledger.unfinished()]);
  const obstacle = look && lookObstacle(look, unfinished, steps.now());
  if (obstacle) throw new UserError(obstacle);
}
