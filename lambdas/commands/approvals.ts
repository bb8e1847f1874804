import type { Configuration } from "../configuration/configuration.ts";

/** Conditions under which a request needs no approval; all that are set must hold. */
export interface ApprovalExemption {
  /** No pod is lost and no local data. */
  readonly nothingLost?: boolean | undefined;
  /** No disruption budget blocks an eviction now. */
  readonly noBudgetBlocks?: boolean | undefined;
  /** At most so many pods are evicted. */
  readonly podsAtMost?: number | undefined;
}

/** Approval that a command needs. */
export interface ApprovalRule {
  /** Number of people beside the requester: 0, 1 or 2. */
  readonly needs: number;
  /** A person needs one of these to approve; no role means that no person may. */
  readonly roles: readonly string[];
  /** Minutes until a request lapses. */
  readonly minutes: number;
  readonly unless: ApprovalExemption | null;
}

/** Facts of a plan by which the need of an approval is judged. */
export interface PlanFacts {
  readonly pods: number;
  readonly losses: readonly string[];
  /** Null: it was not asked what blocks. */
  readonly blockers: readonly string[] | null;
}

/** The part of a configuration that says who may do what, and what needs an approval. */
export type ApprovalRules = Pick<Configuration, "people" | "policy" | "approvals"> & PoolRules;

/** Rules of pools for their own nodes. */
interface PoolRules {
  readonly pools?: Readonly<Record<string, Partial<Pick<Configuration["pools"][string], "policy" | "approvals">>>>;
}

/** Key of the policy that names the roles which may act without waiting for an approval. */
export const BREAK_GLASS = "break-glass";

/** Minutes until a request lapses where the configuration does not say it. */
const MINUTES = 30;

/** Rules of commands that the configuration does not name. */
const standard: Readonly<Record<string, Pick<ApprovalRule, "needs" | "unless">>> = {
  drain: { needs: 1, unless: null },
  reboot: { needs: 1, unless: null },
  assist: { needs: 1, unless: null },
  cordon: { needs: 0, unless: null },
  uncordon: { needs: 0, unless: null },
  remove: { needs: 1, unless: { podsAtMost: 5 } },
};

/** Commands that a rule can be written for. */
export const approvable: readonly string[] = Object.keys(standard);

const own = <T>(table: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  table && Object.hasOwn(table, key) ? table[key] : undefined;

/**
 * Rules as they hold in a pool: what the pool says about a command replaces what holds elsewhere.
 * @param pool null for what is in no pool
 */
export function rulesIn<R extends Pick<ApprovalRules, "policy"> & PoolRules>(rules: R, pool: string | null): R {
  const its = pool === null ? undefined : own(rules.pools, pool);
  if (!its?.policy) return rules;
  return { ...rules, policy: { ...rules.policy, ...its.policy } };
}

/** Does any pool have a policy of its own, so that a person must be judged again when the pool is known? */
export const hasPoolPolicies = ({ pools = {} }: PoolRules): boolean =>
  Object.values(pools).some(({ policy }) => policy !== undefined);

/**
 * The approval that a command needs in a pool. A rule that is written replaces the default whole.
 * @param pool null for what is in no pool
 */
export function approvalRule(rules: ApprovalRules, command: string, pool: string | null): ApprovalRule {
  const its = pool === null ? undefined : own(rules.pools, pool);
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

/** Number of people who must approve a plan. A condition about what is not known does not hold. */
export function approvalsNeeded({ needs, unless }: ApprovalRule, plan: PlanFacts): number {
  if (!unless) return needs;
  const holds = [
    ...(unless.nothingLost ? [plan.losses.length === 0] : []),
    ...(unless.noBudgetBlocks ? [plan.blockers?.length === 0] : []),
    ...(unless.podsAtMost === undefined ? [] : [plan.pods <= unless.podsAtMost]),
  ];
  return holds.length > 0 && holds.every(Boolean) ? 0 : needs;
}
