import type { Configuration } from "../configuration/configuration.ts";

/** Conditions under which a request needs no approval; every condition that is set must hold. */
export interface ApprovalExemption {
  /** No pod and no local data is lost. */
  readonly nothingLost?: boolean | undefined;
  /** No disruption budget blocks an eviction now. */
  readonly noBudgetBlocks?: boolean | undefined;
  /** Limit on the number of evicted pods. */
  readonly podsAtMost?: number | undefined;
}

/** Approval that a command needs. */
export interface ApprovalRule {
  /** Number of approvers beside the requester: 0, 1 or 2. */
  readonly needs: number;
  /** Roles of which an approver needs one; nobody may approve if the list is empty. */
  readonly roles: readonly string[];
  /** Minutes until the request for approval lapses. */
  readonly minutes: number;
  readonly unless: ApprovalExemption | null;
}

/** Facts of a plan that decide whether it needs an approval. */
export interface PlanFacts {
  readonly pods: number;
  readonly losses: readonly string[];
  /** Null if the plan did not check what blocks evictions. */
  readonly blockers: readonly string[] | null;
}

/** The part of a configuration with people's rights and the rules on approvals. */
export type ApprovalRules = Pick<Configuration, "people" | "policy" | "approvals"> & PoolRules;

/** Rules that pools have for their own nodes. */
interface PoolRules {
  readonly pools?: Readonly<
    Record<string, Partial<Pick<Configuration["pools"][string], "policy" | "approvals" | "rulesFault">>>
  >;
}

/** Key of the policy with the roles that may act without waiting for an approval. */
export const BREAK_GLASS = "break-glass";

/** Default minutes until a request for approval lapses. */
const MINUTES = 30;

/** Default rules of commands. */
const standard: Readonly<Record<string, Pick<ApprovalRule, "needs" | "unless">>> = {
  drain: { needs: 1, unless: null },
  reboot: { needs: 1, unless: null },
  restart: { needs: 1, unless: null },
  assist: { needs: 1, unless: null },
  cordon: { needs: 0, unless: null },
  uncordon: { needs: 0, unless: null },
  // Like a reboot, but for a machine that runs no pod, such as one that failed and was kept.
  remove: { needs: 1, unless: { podsAtMost: 0 } },
  authorities: { needs: 1, unless: null },
};

/** Commands for which the configuration may have a rule. */
export const approvable: readonly string[] = Object.keys(standard);

const own = <T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  table && Object.hasOwn(table, key) ? table[key] : undefined;

const ofPool = ({ pools }: PoolRules, pool: string | null) => (pool === null ? undefined : own(pools, pool));

/** Is it a pool whose rules cannot be read? Nobody may do anything in it: the rules may be stricter than the general ones. */
export const hasUnreadableRules = (rules: PoolRules, pool: string | null): boolean =>
  ofPool(rules, pool)?.rulesFault !== undefined;

/** Names of the pools whose rules cannot be read. */
export const unreadableIn = (rules: PoolRules): string[] =>
  Object.keys(rules.pools ?? {}).filter((pool) => hasUnreadableRules(rules, pool));

/**
 * Applies a pool's policy to the rules: its entry for a command replaces the general entry. If its rules cannot be read,
 * nobody may do anything.
 * @param pool null for nodes without a pool
 */
export function rulesIn<R extends Pick<ApprovalRules, "policy"> & PoolRules>(rules: R, pool: string | null): R {
  if (hasUnreadableRules(rules, pool)) return { ...rules, policy: {} };
  const its = ofPool(rules, pool);
  if (!its?.policy) return rules;
  return { ...rules, policy: { ...rules.policy, ...its.policy } };
}

/**
 * Does any pool have a policy of its own, or one that cannot be read, so that a person must be checked again once the
 * pool is known?
 */
export const hasPoolPolicies = ({ pools = {} }: PoolRules): boolean =>
  Object.values(pools).some(({ policy, rulesFault }) => policy !== undefined || rulesFault !== undefined);

/**
 * Finds the approval that a command needs in a pool. A configured rule replaces the whole default. If the pool's rules
 * cannot be read, an approval is needed that nobody can give.
 * @param pool null for nodes without a pool
 */
export function approvalRule(rules: ApprovalRules, command: string, pool: string | null): ApprovalRule {
  if (hasUnreadableRules(rules, pool)) return { needs: 1, roles: [], minutes: MINUTES, unless: null };
  const its = ofPool(rules, pool);
  const written = own(its?.approvals, command) ?? own(rules.approvals, command);
  const { needs, unless } = own(standard, command) ?? { needs: 0, unless: null };
  const approvers = own(rulesIn(rules, pool).policy, "approve") ?? [];
  return {
    needs: written ? (written.needs ?? 1) : needs,
    roles: written?.roles ?? approvers,
    minutes: written?.minutes ?? MINUTES,
    unless: written ? (written.unless ?? null) : unless,
  };
}

/** May some role act on a pool's nodes without waiting for an approval? @param pool null for nodes without a pool */
export const isDispensable = (rules: ApprovalRules, pool: string | null): boolean =>
  (rulesIn(rules, pool).policy[BREAK_GLASS] ?? []).length > 0;

/** Number of people who must approve a plan. A condition about an unknown fact does not hold. */
export function approvalsNeeded({ needs, unless }: ApprovalRule, plan: PlanFacts): number {
  if (!unless) return needs;
  const holds = [
    ...(unless.nothingLost ? [plan.losses.length === 0] : []),
    ...(unless.noBudgetBlocks ? [plan.blockers?.length === 0] : []),
    ...(unless.podsAtMost === undefined ? [] : [plan.pods <= unless.podsAtMost]),
  ];
  return holds.length > 0 && holds.every(Boolean) ? 0 : needs;
}
