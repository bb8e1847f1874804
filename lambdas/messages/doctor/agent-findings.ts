import { typeThis } from "../command/syntax.ts";
import { between } from "../slack/age.ts";
import { code, counted, some } from "../slack/text.ts";
import type { Finding, SilentAgent, UnreadyNode } from "./finding.ts";
import { broken, type FindingText, list, warning } from "./finding-text.ts";

type OfAgents = Extract<
  Finding,
  { readonly kind: "agents-old" | "agents-silent" | "agents-proxied" | "nodes-not-ready" }
>;

/** A node with its pool. */
interface PooledNode {
  readonly node: string;
  readonly pool: string | null;
}

/** Most nodes that a finding names. */
const MOST = 8;

/** "`ip-10-0-3-7` (web, for 17m)". @param state its state, without the node's name */
const named = <T extends PooledNode>(nodes: readonly T[], state: (node: T) => string): string =>
  some(
    nodes.map((one) => `${code(one.node)} (${one.pool === null ? "" : `${one.pool}, `}${state(one)})`),
    MOST,
  );

const whyFirst = ([first]: readonly PooledNode[]): string =>
  `${typeThis("why", first?.node ?? "<node>")} names the cause`;

/** Says of a NotReady node that its agent does not report, and why if it is known. */
function agentWords({ isAgentSilent, lacksProfile }: UnreadyNode): string {
  if (lacksProfile) return ", its instance has no instance profile, so its SSM agent does not report";
  return isAgentSilent ? ", its SSM agent does not report" : "";
}

const unready = (node: UnreadyNode, at: string): string => `for ${between(node.since, at)}${agentWords(node)}`;

/**
 * Next step for nodes: no reboot helps a machine without an instance profile.
 * @param reboot what a reboot does for the others
 */
function rebootRemedy(nodes: readonly (PooledNode & Pick<SilentAgent, "lacksProfile">)[], reboot: string): string {
  const bare = nodes.filter(({ lacksProfile }) => lacksProfile).map(({ node }) => node);
  return [
    whyFirst(nodes),
    ...(bare.length > 0 ? [`attach the pool's instance profile to ${list(bare)}, which no reboot helps`] : []),
    ...(bare.length < nodes.length ? [`${typeThis("reboot", "<node>")} ${reboot}`] : []),
  ].join("; ");
}

const recovers = (nodes: readonly UnreadyNode[]): string =>
  nodes.some(({ isAgentSilent, lacksProfile }) => isAgentSilent && !lacksProfile)
    ? "recovers a node, through EC2 where its agent does not report"
    : "recovers a node";

/** Texts of the findings about nodes that do not report and the SSM agents of machines. */
export const ofAgents: { readonly [K in OfAgents["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText } = {
  "agents-old": ({ machines, wanted }) =>
    broken(
      "Nodes",
      `the SSM agent is older than ${code(wanted)} on ${list(machines)}`,
      "replace these nodes, or update their agent with AWS-UpdateSSMAgent",
    ),
  "agents-silent": ({ agents, at }) =>
    warning(
      "Nodes",
      `the SSM agent does not report: ${named(agents, ({ since }) => `for ${between(since, at)}`)}`,
      `${rebootRemedy(agents, "reboots a node through EC2 once it is approved")}. Many at once: check the way to Systems Manager first`,
    ),
  "nodes-not-ready": ({ nodes, at }) =>
    broken(
      "Nodes",
      `${counted(nodes.length, "Windows node")} ${nodes.length === 1 ? "is" : "are"} NotReady: ${named(nodes, (node) => unready(node, at))}`,
      rebootRemedy(nodes, recovers(nodes)),
    ),
  "agents-proxied": ({ nodes }) =>
    broken(
      "Nodes",
      `${list(nodes)} ${nodes.length === 1 ? "reaches" : "reach"} AWS only through a proxy of the SSM agent, so Casement writes no inputs of the cluster there`,
      "give their subnets endpoints for S3 and Secrets Manager, or a route to them (docs/proxy.md)",
    ),
};
