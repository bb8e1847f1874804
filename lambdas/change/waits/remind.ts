import { rulesIn } from "../../commands/approvals.ts";
import { audienceOf, audienceOfRoles, audienceOnCall } from "../../commands/policy.ts";
import type { Rules } from "../../configuration/configuration.ts";
import { waitReminder, waitWords } from "../../messages/operation/waits.ts";
import { requesterOf } from "../../records/origin.ts";
import type { OperationRecord } from "../../records/records.ts";
import {
  type Audience,
  isRemindedAgain,
  isReminderDue,
  isUrgent,
  type PersonWait,
  waitName,
} from "../../records/waits.ts";
import { isBusy } from "../../steps/client-errors.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Steps } from "../../steps/steps.ts";
import { findWaits } from "./find.ts";

/** User groups (S…) and people that a reminder mentions. */
function calledTo(rules: Rules, pool: string | null, audience: Audience): string[] {
  if ("roles" in audience) return audienceOfRoles(rules, audience.roles);
  if ("person" in audience) return audience.person === null ? [] : [audience.person];
  return audienceOf(rulesIn(rules, pool), audience.command);
}

/** May this person end the wait? An approval or a review is never the requester's. */
const mayEnd = ({ kind }: PersonWait, operation: OperationRecord | undefined, id: string): boolean =>
  !(kind === "approval" || kind === "review") || !operation || requesterOf(operation)?.userId !== id;

/** Lists the waits for which a reminder is due, without those whose own message reminds people. Belongs into a step. */
export async function dueWaits(steps: Steps): Promise<readonly PersonWait[]> {
  // If the API server is unreachable, a later sweep reminds people of nodes that wait.
  const nodes = await steps.nodes.all().catch((error: unknown): readonly Node[] => {
    if (isBusy(error)) return [];
    throw error;
  });
  const [waits, last] = await Promise.all([findWaits(steps, nodes, []), steps.reminders.last()]);
  return waits.filter(
    (wait) =>
      waitWords[wait.kind].remindsItself !== true &&
      isReminderDue(wait.since, last.get(waitName(wait)), steps.now(), isUrgent(wait)),
  );
}

/** Reminds people in the operation's thread, or in the channel if its record has expired. Belongs into a step. */
export async function remindOfWait(steps: Steps, wait: PersonWait): Promise<void> {
  const rules = await steps.runtime.rules();
  const operation = await steps.ledger.operation(wait.operation);
  const name = waitName(wait);
  const now = steps.timestamp();
  const isAgain = isUrgent(wait) && isRemindedAgain(wait.since, steps.now());
  const audience = isAgain
    ? audienceOnCall(rulesIn(rules, wait.pool), "reboot")
    : calledTo(rules, wait.pool, wait.audience);
  const called = audience.filter((id) => mayEnd(wait, operation, id));
  const message = waitReminder(wait, called, now);
  // Reminders of one day are several messages; one that is repeated within ten minutes is the same.
  const mark = `${name} reminder ${now.slice(0, isUrgent(wait) ? 15 : 10)}`;
  const channel = operation?.channel ?? rules.slack.channel;
  await steps.thread.post(channel, message, mark, operation?.messageTs ?? undefined);
  await steps.reminders.keep(name);
}
