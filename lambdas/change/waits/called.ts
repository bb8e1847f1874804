import { rulesIn } from "../../commands/approvals.ts";
import { audienceOf, audienceOfRoles, audienceOnCall } from "../../commands/policy.ts";
import type { Rules } from "../../configuration/configuration.ts";
import { isRemindedAgain } from "../../records/reminders.ts";
import type { Audience, PersonWait } from "../../records/waits.ts";

/** State that waits for people. */
export interface CalledWait extends Pick<PersonWait, "audience" | "pool" | "since"> {
  /** A node is out of service until it ends. */
  readonly isUrgent: boolean;
}

function endersOf(rules: Rules, pool: string | null, audience: Audience): string[] {
  if ("roles" in audience) return audienceOfRoles(rules, audience.roles);
  if ("person" in audience) return audience.person === null ? [] : [audience.person];
  return audienceOf(rulesIn(rules, pool), audience.command);
}

/**
 * Lists whom a reminder calls: at first those who may end the wait. From half an hour on it calls those on call: only
 * them where a node is out of service, otherwise beside the others.
 * @param now milliseconds since the epoch
 * @returns user groups (S…) and people
 */
export function calledTo(rules: Rules, { audience, pool, since, isUrgent }: CalledWait, now: number): string[] {
  const enders = endersOf(rules, pool, audience);
  if (!isRemindedAgain(since, now)) return enders;
  const onCall = audienceOnCall(rulesIn(rules, pool), "reboot");
  return isUrgent ? onCall : [...new Set([...enders, ...onCall])];
}
