import type { Argument, Command, Option } from "./command.ts";
import { at, breakGlass, dryRun, force, now, reason } from "./options.ts";

/** Nodes that one rollout may have. */
export const MOST_IN_ROLLOUT = 200;

const targets: Argument = {
  name: "pool|node",
  field: "targets",
  kind: "nodes-or-pool",
  required: true,
  unless: "due",
  means:
    "one pool, or one or more nodes by name, instance id, IP address or unique prefix; with --due every pool if left out",
};

const due: Option = {
  option: "due",
  kind: "flag",
  means: "of the nodes meant, only those whose Windows waits for a reboot",
};

const max: Option = {
  option: "max",
  kind: "count",
  most: MOST_IN_ROLLOUT,
  means: "of several nodes, how many are away at once; the pool's own limit holds too",
};

const canary: Option = {
  option: "canary",
  kind: "flag",
  means: "of several nodes, asks whether to go on once the first one is proven",
};

/** Of one node alone: the plan says it, and the approval is bound to it. */
const ec2: Option = {
  option: "ec2",
  kind: "flag",
  means: "of one node, reboots through EC2 if its SSM agent takes no command; without it, where the agent is silent",
};

export const reboot: Command = {
  name: "reboot",
  also: ["reboot node", "reboot nodes", "reboot pool", "restart", "restart node"],
  arguments: [targets],
  options: [dryRun, force, breakGlass, ec2, due, max, canary, at, now, reason],
  effect: "change",
  workflow: "reboot-node",
  workflowOfMany: "reboot-nodes",
  dialog: false,
  summary: "Drains and reboots Windows nodes, and proves that they work before pods return",
  detail:
    "Shows a plan first, as drain does. Then checks the guard of the metadata route, cordons the node, evicts its pods, reboots the machine once through SSM, and proves by its boot id, routes, services, container network and kubelet that it works. Only then is the node as it was before: schedulable, or cordoned if it was. A node that is not proven stays cordoned, with the first thing that is wrong. Of several nodes or a pool one is rebooted first; when it is proven, the others follow within the pool's limit. A node that fails pauses the rollout and asks. With --due only those nodes are rebooted whose Windows waits for a reboot, by the last scheduled look; where that is old, the machines are asked anew. In a pool with maintenance windows it waits for the next one.",
  examples: [
    "reboot ip-10-0-3-7 --dry-run",
    'reboot ip-10-0-3-7 --reason "updates are pending"',
    "reboot web --max 2",
    "reboot ip-10-0-3-7 ip-10-0-3-8 --canary",
    "reboot --due",
    "reboot web --due --max 2",
    'reboot web --at "Sat 02:00"',
  ],
};
