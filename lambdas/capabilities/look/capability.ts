import type { Capability } from "../capability.ts";
import { command } from "../command.ts";
import { node } from "../options.ts";

/** Looks at nodes: the list, one node, and the reason why a node is unhealthy. */
export const look = {
  name: "look",
  commands: [
    command({
      name: "nodes",
      also: ["get nodes", "get node", "get no"],
      meantBy: ["status", "list", "get"],
      arguments: [{ name: "pool", kind: "pool", required: false, means: "one pool; all nodes if left out" }],
      options: [{ option: "notready", kind: "flag", sparse: true, means: "only nodes that are not Ready" }],
      effect: "look",
      workflow: "look",
      dialog: false,
      title: ({ pool }) => (pool ? `List the nodes of ${pool}` : "List the nodes"),
      summary: "Lists the Windows nodes, or those of a pool",
      detail:
        "Lists the Windows nodes by their short names, those that are not Ready first, with status, pool and age. What all nodes have is said once: Windows build, version, roles. Columns for which a phone has no room are named below the list.",
      examples: ["nodes", "nodes web", "nodes --notready", "get nodes"],
    }),
    command({
      name: "node",
      also: ["describe node", "describe nodes", "describe no", "get node", "get nodes", "get no"],
      arguments: [node],
      options: [],
      effect: "look",
      workflow: "look",
      dialog: false,
      title: ({ node }) => `Describe ${node}`,
      summary: "Describes one Windows node",
      detail:
        "Describes one Windows node: its conditions, taints, addresses, instance, pods, and the operation that is working on it, if any.",
      examples: ["node ip-10-0-3-7", "node i-0ab12cd34ef567890", "describe node 10.0.3.7"],
    }),
    command({
      name: "why",
      also: ["what is wrong with", "diagnose node"],
      arguments: [node],
      options: [],
      effect: "look",
      workflow: "look",
      dialog: false,
      title: ({ node }) => `Find what is wrong with ${node}`,
      summary: "Finds what is wrong with one node",
      detail:
        "Checks one Windows node from the instance up to its taints: EC2's state and status checks, the SSM agent, the metadata service and its routes, the Windows services, the container network, certificate requests, the kubelet's heartbeat, the condition Ready. It asks EC2, SSM, Kubernetes and the machine itself, names the first thing that is wrong and says what helps. It changes nothing and works while an operation holds the node; a service that does not answer costs its own checks alone.",
      examples: ["why ip-10-0-3-7", "why i-0ab12cd34ef567890"],
    }),
  ],
  workflows: { look: { hours: 1, account: "look" } },
} as const satisfies Capability;
