import type { Finding, UnreadyNode } from "./finding.ts";

const isSilent = (finding: Finding): finding is Extract<Finding, { kind: "agents-silent" }> =>
  finding.kind === "agents-silent";
const isUnready = (finding: Finding): finding is Extract<Finding, { kind: "nodes-not-ready" }> =>
  finding.kind === "nodes-not-ready";
const isOfInputs = (finding: Finding): finding is Extract<Finding, { kind: "input-late" | "input-unconfirmed" }> =>
  finding.kind === "input-late" || finding.kind === "input-unconfirmed";

const unlessEmpty = (named: readonly unknown[], finding: Finding): Finding[] => (named.length > 0 ? [finding] : []);

/**
 * Leaves a node out of findings whose cause another one names: a node that is NotReady is named there with its silent agent, and a
 * machine whose agent is silent gets and confirms no input.
 */
export function withoutCovered(findings: readonly Finding[]): Finding[] {
  const silent = new Map(findings.filter(isSilent).flatMap(({ agents }) => agents.map((one) => [one.node, one])));
  const unready = new Set(findings.filter(isUnready).flatMap(({ nodes }) => nodes.map(({ node }) => node)));
  const withAgent = (one: UnreadyNode): UnreadyNode => {
    const agent = silent.get(one.node);
    if (!agent) return one;
    return { ...one, isAgentSilent: true, ...(agent.lacksProfile ? { lacksProfile: true } : {}) };
  };
  return findings.flatMap((finding): Finding[] => {
    if (isUnready(finding)) return [{ ...finding, nodes: finding.nodes.map(withAgent) }];
    if (isSilent(finding)) {
      const agents = finding.agents.filter(({ node }) => !unready.has(node));
      return unlessEmpty(agents, { ...finding, agents });
    }
    if (!isOfInputs(finding)) return [finding];
    const nodes = finding.nodes.filter((node) => !silent.has(node));
    return unlessEmpty(nodes, { ...finding, nodes });
  });
}
