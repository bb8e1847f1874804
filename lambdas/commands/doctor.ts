import type { Command } from "./command.ts";

export const doctor: Command = {
  name: "doctor",
  also: ["check", "diagnose"],
  arguments: [],
  options: [],
  effect: "look",
  workflow: "look",
  dialog: false,
  summary: "Says what is wrong, and what to do about it",
  detail:
    "Looks at Slack (scopes, channel), the AWS account (permissions, subnets, security groups, images, documents, payload, ledger, clock), the cluster (credential, rights, admission policies, network, versions) and the nodes' agents and kubelets. It changes nothing. Each finding comes with its remedy, the worst first. When Slack is down, `npm run doctor` says the same on a terminal.",
  examples: ["doctor"],
};
