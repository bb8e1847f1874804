import { emptyRoster, groupsOf, groupsWithRoles } from "../commands/membership.ts";
import { audienceOf, mayUseSomewhere, rolesOf } from "../commands/policy.ts";
import type { Refusal } from "../messages/command/refusals.ts";
import type { FrontDoor } from "./front-door.ts";

/** Origin of a request from Slack. */
export interface SlackSender {
  readonly teamId: string;
  readonly userId: string;
  readonly channel: string;
}

/** A person whose requests are accepted. */
export interface Person {
  readonly roles: readonly string[];
  /** Pools whose rules could not be read at the schedule's last tick. */
  readonly unreadablePools: readonly string[];
  /** True if no roster tells who is in the user groups that have roles. */
  readonly unknownGroups: boolean;
}

/**
 * Checks that a request comes from the configured workspace and channel, using only the signed request.
 * @returns the refusal, or null
 */
export function originRefusal({ configuration: { slack, cluster } }: FrontDoor, origin: SlackSender): Refusal | null {
  if (origin.teamId !== slack.teamId) return { kind: "workspace" };
  if (origin.channel !== slack.channel) return { kind: "channel", channel: slack.channel, cluster: cluster.name };
  return null;
}

/**
 * Finds a person and their roles in the roster. Guests, bots and people of shared channels are refused. The roster
 * misses changes of the last minutes, so the workflow asks Slack again before it begins.
 * @throws if the roster cannot be read; then nothing is allowed
 */
export async function personOf(
  door: FrontDoor,
  { userId }: SlackSender,
): Promise<Person | { readonly refusal: Refusal }> {
  const known = await door.steps.roster.read();
  const roster = known ?? emptyRoster;
  // An id such as "constructor" must not find a property that every object inherits.
  const membership = (Object.hasOwn(roster.memberships, userId) ? roster.memberships[userId] : null) ?? "member";
  const { unreadablePools } = roster;
  const unknownGroups = !known && groupsWithRoles(door.configuration).length > 0;
  return membership === "member"
    ? { roles: rolesOf(door.configuration, userId, groupsOf(roster, userId)), unreadablePools, unknownGroups }
    : { refusal: { kind: membership } };
}

/**
 * Refusal of a command by the policy, with those whom the person can ask. Where a user group may use it whose members are
 * not known, it says that instead.
 */
export function refusedByPolicy({ configuration }: FrontDoor, command: string, { unknownGroups }: Person): Refusal {
  const ofGroups = rolesOf(configuration, "", groupsWithRoles(configuration));
  return unknownGroups && mayUseSomewhere(configuration, ofGroups, command)
    ? { kind: "unknown-groups", command }
    : { kind: "policy", command, allowed: audienceOf(configuration, command) };
}

/**
 * Checks that a person may use a command from this channel; runs for every command and for every click.
 * @returns the refusal, or null
 */
export async function refusalOf(door: FrontDoor, origin: SlackSender, command: string): Promise<Refusal | null> {
  const elsewhere = originRefusal(door, origin);
  if (elsewhere) return elsewhere;
  const person = await personOf(door, origin);
  if ("refusal" in person) return person.refusal;
  return mayUseSomewhere(door.configuration, person.roles, command) ? null : refusedByPolicy(door, command, person);
}
