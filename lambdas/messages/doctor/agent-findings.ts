import { code } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { broken, type FindingText, list, warning } from "./finding-text.ts";

type OfAgents = Extract<Finding, { readonly kind: "agents-old" | "agents-silent" | "agents-proxied" }>;

/** Texts of the findings about the SSM agents of machines. */
export const ofAgents: { readonly [K in OfAgents["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText } = {
  "agents-old": ({ machines, wanted }) =>
    broken(
      "Nodes",
      `the SSM agent is older than ${code(wanted)} on ${list(machines)}`,
      "replace these nodes, or update their agent with AWS-UpdateSSMAgent",
    ),
  "agents-silent": ({ machines }) =>
    warning(
      "Nodes",
      `the SSM agent is not online on ${list(machines)}`,
      "check that they run and reach the metadata service; a node whose agent stays offline can only be removed",
    ),
  "agents-proxied": ({ nodes }) =>
    broken(
      "Nodes",
      `${list(nodes)} ${nodes.length === 1 ? "reaches" : "reach"} AWS only through a proxy of the SSM agent, so Casement writes no inputs of the cluster there`,
      "give their subnets endpoints for S3 and Secrets Manager, or a route to them (docs/proxy.md)",
    ),
};
