import { BREAK_GLASS, hasUnreadableRules, rulesIn } from "../../commands/approvals.ts";
import { isChange } from "../../commands/list.ts";
import { groupsWithRoles } from "../../commands/membership.ts";
import { isNamed } from "../../commands/node-matches.ts";
import { mayUseSomewhere, rolesOf } from "../../commands/policy.ts";
import { breakGlassOf, poolNamed } from "../../commands/request.ts";
import type { Rules } from "../../configuration/configuration.ts";
import { Forbidden, Refused, UserError } from "../../errors.ts";
import { log } from "../../logging.ts";
import { breakGlassNeedsName } from "../../messages/approval/break-glass.ts";
import { type Refusal, refusalMessage } from "../../messages/command/refusals.ts";
import { BY_ITSELF, BY_MAINTENANCE, requesterOf } from "../../records/origin.ts";
import type { OperationRecord } from "../../records/records.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";
import type { Execution } from "./op.ts";

/**
 * Checks what the front door has no time for: is the requester a full member, is the channel free of guests and other
 * workspaces, and does the current policy allow the request? Runs before a workflow begins, and again after its plan
 * was approved. For a change it asks Slack. An operation of a rule has no requester and is not checked.
 * @param pool pool of the node, once it is known; by default the pool that the request names
 * @throws Forbidden with a sentence only for the requester
 */
export async function checkOrigin(
  { steps, start }: Execution,
  rules: Rules,
  pool: Place = poolNamed(start.request),
): Promise<void> {
  const { request } = start;
  const requester = requesterOf(start);
  if (!requester) return;
  const judge = isChange(request.command) ? refusalOf : lookRefusalOf;
  const refusal = await judge(steps, requester.userId, request.command, { rules, pool });
  logPolicy(requester.userId, request.command, refusal);
  if (refusal) throw new Forbidden(refusalMessage(refusal).text);
}

/** Name of a pool; null for nodes that belong to none; undefined while the node is unknown. */
type Place = string | null | undefined;

/** The pool in which an operation works, if it is known. */
const poolOf = ({ request, inPool }: OperationRecord): Place => (inPool === undefined ? poolNamed(request) : inPool);

/** Rules, and the pool in which they are to hold. */
interface PlacedRules {
  readonly rules: Rules;
  readonly pool: Place;
}

/** The rules of one pool; all rules while the pool is unknown. */
const heldIn = ({ rules, pool }: PlacedRules): Rules =>
  pool === undefined ? rules : { ...rulesIn(rules, pool), pools: {} };

/** Refuses every command in a pool whose rules cannot be read; null in any other. */
const faultRefusal = ({ rules, pool = null }: PlacedRules, command: string): Refusal | null =>
  pool !== null && hasUnreadableRules(rules, pool) ? { kind: "unreadable", command, pools: [pool] } : null;

/**
 * Checks the permission to act on a node without waiting for the approval, if the request asks for that.
 * @param node the whole name of the node, or the instance id of a machine that is no node
 * @param pool null for a node that belongs to no pool
 * @throws UserError when the requester did not type the name; Forbidden when no role of the requester allows it
 */
export async function checkBreakGlass({ steps, start }: Execution, node: string, pool: string | null): Promise<void> {
  const { request } = start;
  const requester = requesterOf(start);
  if (breakGlassOf(request) === null || !("node" in request) || !requester) return;
  if (!isNamed(node, request.node)) throw new UserError(breakGlassNeedsName(node, request.node));
  const rules = await steps.runtime.rules();
  const refusal = await refusalOf(steps, requester.userId, BREAK_GLASS, { rules, pool });
  logPolicy(requester.userId, BREAK_GLASS, refusal);
  if (refusal) throw new Forbidden(refusalMessage(refusal).text);
}

/**
 * Checks the permission to act outside of a pool's maintenance windows, which is the same as that to act without an
 * approval.
 * @throws Forbidden when no role of the requester allows it
 */
export async function checkNow({ steps, start }: Execution, pool: string | null): Promise<void> {
  const requester = requesterOf(start);
  if (!requester || breakGlassOf(start.request) !== null) return;
  const rules = await steps.runtime.rules();
  const refusal = await refusalOf(steps, requester.userId, BREAK_GLASS, { rules, pool });
  logPolicy(requester.userId, BREAK_GLASS, refusal);
  if (refusal) throw new Forbidden(refusalMessage(refusal).text);
}

/**
 * Checks the requester again. If Slack or the rules cannot be read, the permission given at the request stays valid.
 */
export async function stillAllowed(op: Execution, rules: Rules, pool?: Place): Promise<void> {
  try {
    await checkOrigin(op, rules, pool);
  } catch (error) {
    if (!isBusy(error)) throw error;
    log("WARN", "refusal", { operation: op.start.operation, why: wordsOf(error) });
  }
}

const logPolicy = (by: string, command: string, refusal: Refusal | null): void =>
  log(refusal ? "WARN" : "INFO", "decision", {
    decision: "policy",
    by,
    command,
    outcome: refusal ? "refused" : "allowed",
    why: refusal?.kind,
  });

/**
 * Judges the requester of a look by the roster that the schedule read minutes ago, and asks Slack only about people who
 * are not in it.
 */
async function lookRefusalOf(
  steps: Steps,
  userId: string,
  command: string,
  placed: PlacedRules,
): Promise<Refusal | null> {
  const known = await steps.people.lastKnown(userId);
  if (!known) return refusalOf(steps, userId, command, placed);
  const rules = heldIn(placed);
  if (known.membership !== "member") return { kind: known.membership };
  return mayUseSomewhere(rules, rolesOf(rules, userId, known.groups), command) ? null : { kind: "policy", command };
}

async function refusalOf(steps: Steps, userId: string, command: string, placed: PlacedRules): Promise<Refusal | null> {
  const fault = faultRefusal(placed, command);
  if (fault) return fault;
  const rules = heldIn(placed);
  const membership = await steps.people.membership(rules, userId);
  if (membership !== "member") return { kind: membership };
  if (mayUseSomewhere(rules, rolesOf(rules, userId, []), command)) return null;
  const groups = await steps.people.groupsOf(groupsWithRoles(rules), userId);
  return mayUseSomewhere(rules, rolesOf(rules, userId, groups), command) ? null : { kind: "policy", command };
}

/** Goes on without a private message that Slack does not take. */
const orLog = (error: unknown): void => console.error("a private message was not sent", wordsOf(error));

/**
 * Rechecks a person whose click the front door accepted from the roster: by the current policy, and by Slack's current
 * answer. A person without permission gets an ephemeral message.
 * @param command whoever may use it may decide
 * @param pool pool of the node, if it is known
 */
export const mayDecide = (steps: Steps, userId: string, command: string, pool?: Place): Promise<boolean> =>
  mayUseOneOf(steps, userId, [command], pool);

/** As `mayDecide`, for a person who needs the permission to use one of several commands. */
export async function mayUseOneOf(
  steps: Steps,
  userId: string,
  commands: readonly string[],
  pool?: Place,
): Promise<boolean> {
  const rules = await steps.runtime.rules();
  let first: Refusal | null = null;
  for (const command of commands) {
    const refusal = await refusalOf(steps, userId, command, { rules, pool });
    logPolicy(userId, command, refusal);
    if (refusal === null) return true;
    first ??= refusal;
  }
  if (first) await steps.thread.sendEphemeral(rules.slack.channel, userId, refusalMessage(first)).catch(orLog);
  return false;
}

/** Rechecks a person who cancels; null if the rules of the pool cannot be read. */
const mayCancel = async (steps: Steps, userId: string, pool: Place): Promise<boolean | null> =>
  pool && hasUnreadableRules(await steps.runtime.rules(), pool) ? null : mayDecide(steps, userId, "cancel", pool);

/**
 * Finds the person who cancelled an operation; null while no permitted person did. The first poll rechecks the
 * permission and records the verdict for the others. If Slack, the rules or those of the pool cannot be read, the front
 * door's verdict of minutes ago holds: a cancellation only rolls back. If the person has lost the right, another person's
 * cancellation that came behind it is judged.
 */
export async function cancelledBy(steps: Steps, id: string): Promise<string | null> {
  const operation = await steps.ledger.operation(id);
  const { cancelledBy: by = null, cancelCause: cause, cancelAllowed } = operation ?? {};
  if (by === null || cause === cancelAllowed || cause === undefined) return by;
  try {
    const allowed = await mayCancel(steps, by, operation && poolOf(operation));
    if (allowed === null) return by;
    if (!allowed) return (await steps.ledger.withdrawCancel(id, cause)) ? cancelledBy(steps, id) : null;
    await steps.ledger.changeOperation(id, { cancelAllowed: cause });
    return by;
  } catch (error) {
    if (isBusy(error) || error instanceof Refused) return by;
    throw error;
  }
}

/**
 * Finds who stops the work on a node: the person who cancelled its operation or paused its rollout; BY_ITSELF for a
 * rollout that has paused because a node failed; BY_MAINTENANCE for one whose window has ended. Null while the work may
 * continue.
 */
export async function stoppedBy(steps: Steps, id: string): Promise<string | null> {
  const by = await cancelledBy(steps, id);
  if (by !== null) return by;
  const rollout = (await steps.ledger.operation(id))?.rollout;
  if (rollout?.closedAt) return BY_MAINTENANCE;
  return rollout?.paused ? (rollout.paused.by ?? BY_ITSELF) : null;
}

/**
 * Checks that a person's vote on a plan is valid: by a full member who may use `approve` in this pool and has one of
 * the roles that the rule names.
 * @param decision "approve" or "deny", which are separate permissions
 */
export async function mayVote(
  steps: Steps,
  { userId, decision }: { readonly userId: string; readonly decision: "approve" | "deny" },
  { roles, pool }: { readonly roles: readonly string[]; readonly pool: string | null },
): Promise<boolean> {
  const placed = { rules: await steps.runtime.rules(), pool };
  const refusal = await refusalOf(steps, userId, decision, placed);
  logPolicy(userId, decision, refusal);
  if (refusal) return false;
  const rules = heldIn(placed);
  const groups = await steps.people.groupsOf(groupsWithRoles(rules), userId);
  return rolesOf(rules, userId, groups).some((role) => roles.includes(role));
}

/**
 * As `mayVote`, by what the schedule last read of the person: for a time in which Slack cannot be asked.
 * @returns null if nothing is known, or what is known is half an hour old
 */
export async function mayVoteAsKnown(
  steps: Steps,
  { userId, decision }: { readonly userId: string; readonly decision: "approve" | "deny" },
  { roles, pool }: { readonly roles: readonly string[]; readonly pool: string | null },
): Promise<boolean | null> {
  const known = await steps.people.lastKnown(userId);
  if (!known) return null;
  const placed = { rules: await steps.runtime.rules(), pool };
  if (known.membership !== "member" || faultRefusal(placed, decision)) return false;
  const rules = heldIn(placed);
  const theirs = rolesOf(rules, userId, known.groups);
  return mayUseSomewhere(rules, theirs, decision) && theirs.some((role) => roles.includes(role));
}
