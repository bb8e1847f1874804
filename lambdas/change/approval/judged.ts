import { digestOf, type Json } from "../../audit/canonical.ts";
import { type ApprovalRule, type ApprovalRules, rulesIn } from "../../commands/approvals.ts";
import type { ApprovalBasis, PlannedNodeIdentity } from "../../records/approval.ts";

/** Comparison of a plan with the approved one, with descriptions of what got worse. */
export interface Comparison {
  readonly order: "worse" | "same" | "better";
  readonly worse: readonly string[];
}

const sorted = (classes: readonly string[]): string[] => [...new Set(classes)].sort();

const nodeKey = ({ uid, instanceId, bootId }: PlannedNodeIdentity): string => JSON.stringify([uid, instanceId, bootId]);

/** Sorts the lists of a record, whose order has no meaning. */
const ordered = (record: ApprovalBasis): ApprovalBasis => ({
  ...record,
  nodes: [...record.nodes].sort((one, other) => (nodeKey(one) < nodeKey(other) ? -1 : 1)),
  losses: sorted(record.losses),
  ...(record.lossMarks ? { lossMarks: sorted(record.lossMarks) } : {}),
  blockers: record.blockers && sorted(record.blockers),
});

/** SHA-256 of a judged record's canonical JSON, in hexadecimal. */
export const judgedHash = (record: ApprovalBasis): string => digestOf(ordered(record) as unknown as Json);

/** Copies the rules that decide about a plan: if they change, the approval is asked for again. */
export const policyOf = (
  rules: ApprovalRules,
  rule: ApprovalRule,
  { command, pool }: { readonly command: string; readonly pool: string | null },
): ApprovalBasis["policy"] => ({
  approval: { ...rule, roles: [...rule.roles], unless: rule.unless && { ...rule.unless } },
  policy: [...(rulesIn(rules, pool).policy[command] ?? [])],
});

const same = (one: unknown, other: unknown): boolean => digestOf(one as Json) === digestOf(other as Json);

/** Describes nodes that are new in the plan or have booted since. A node that left the plan does not make it worse. */
function nodesWorse(before: readonly PlannedNodeIdentity[], after: readonly PlannedNodeIdentity[]): string[] {
  const known = new Set(before.map(nodeKey));
  return after
    .filter((node) => !known.has(nodeKey(node)))
    .map(({ instanceId, uid }) => {
      const earlier = before.find((one) => one.instanceId === instanceId && one.uid === uid);
      const name = instanceId ?? uid ?? "a node";
      return earlier ? `${name} has booted again` : `${name} is another node`;
    });
}

/** Finds classes that an approval does not cover, sorted. */
export const added = (before: readonly string[], after: readonly string[]): string[] =>
  sorted(after).filter((one) => !before.includes(one));

/** Describes kinds of losses that an approval does not cover. */
export const lostToo = (losses: readonly string[]): string[] => losses.map((one) => `${one} is lost too`);

/** Compares the workloads that lose something. A record of the last release accepts the kinds of losses for all of them. */
function workloadsWorse(before: ApprovalBasis["lossMarks"], after: ApprovalBasis["lossMarks"]): string[] {
  if (!before || !after) return [];
  return added(before, after).length > 0 ? ["another workload loses pods or data"] : [];
}

/** Lists new blockers. If the card stated that blockers were not checked, the approval is valid with any of them. */
function blockersWorse(before: ApprovalBasis["blockers"], after: ApprovalBasis["blockers"]): string[] {
  if (before === null) return [];
  if (after === null) return ["it is not known any more what blocks"];
  return added(before, after).map((one) => `${one} blocks`);
}

const isBetter = (before: ApprovalBasis, after: ApprovalBasis): boolean =>
  after.nodes.length < before.nodes.length ||
  sorted(after.losses).length < sorted(before.losses).length ||
  (after.blockers ?? []).length < (before.blockers ?? []).length;

/**
 * Compares a plan with the approved one. A worse plan needs a new approval; one that is the same or better does not.
 * @param before the record that was approved
 * @param after the record that was judged just now
 */
export function compareJudged(before: ApprovalBasis, after: ApprovalBasis): Comparison {
  const worse = [
    ...(before.action === after.action && same(before.options, after.options) ? [] : ["another action or option"]),
    ...(same(before.policy, after.policy) ? [] : ["the policy was changed"]),
    ...nodesWorse(before.nodes, after.nodes),
    ...lostToo(added(before.losses, after.losses)),
    ...workloadsWorse(before.lossMarks, after.lossMarks),
    ...blockersWorse(before.blockers, after.blockers),
  ];
  if (worse.length > 0) return { order: "worse", worse };
  return { order: isBetter(before, after) ? "better" : "same", worse };
}
