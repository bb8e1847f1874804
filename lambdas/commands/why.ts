import type { Command } from "./command.ts";
import { node } from "./options.ts";

export const why: Command = {
  name: "why",
  also: ["what is wrong with", "diagnose node"],
  arguments: [node],
  options: [],
  effect: "look",
  workflow: "look",
  dialog: false,
  summary: "Finds what is wrong with one node",
  detail:
    "Checks one Windows node from the instance up to its taints: EC2's state and status checks, the SSM agent, the metadata service and its routes, the Windows services, the container network, certificate requests, the kubelet's heartbeat, the condition Ready. It asks EC2, SSM, Kubernetes and the machine itself, names the first thing that is wrong and says what helps. It changes nothing and works while an operation holds the node; a service that does not answer costs its own checks alone.",
  examples: ["why ip-10-0-3-7", "why i-0ab12cd34ef567890"],
};
