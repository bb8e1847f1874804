import type { Capability, StageRow } from "../capability.ts";
import { type Argument, command, commandOfMany, type Option, type Targets } from "../command.ts";
import { at, breakGlass, dryRun, force as forceOfOne, node, now, reason } from "../options.ts";
import { cordoning, evicting, securingRoute, waitingForSlot } from "../stages.ts";
import { inWords } from "../targets.ts";

/** Maximum number of nodes in one rollout. */
export const MOST_IN_ROLLOUT = 200;

const targets = {
  name: "pool|node",
  field: "targets",
  kind: "nodes-or-pool",
  required: true,
  unless: "due",
  means:
    "one pool, or one or more nodes by name, instance id, IP address or unique prefix; with --due every pool if left out",
} as const satisfies Argument;

const due = {
  option: "due",
  kind: "flag",
  sparse: true,
  of: "several",
  means: "of the nodes meant, only those whose Windows waits for a reboot",
} as const satisfies Option;

const restartDue = {
  ...due,
  means: "of the nodes meant, only those whose services lack what a start applies, such as the cluster's proxy",
} as const satisfies Option;

const max = {
  option: "max",
  kind: "count",
  of: "several",
  most: MOST_IN_ROLLOUT,
  means: "of several nodes, how many are away at once; the pool's own limit holds too",
} as const satisfies Option;

const canary = {
  option: "canary",
  kind: "flag",
  of: "several",
  means: "of several nodes, asks whether to go on once the first one is proven",
} as const satisfies Option;

/** Only for one node: its plan shows the EC2 reboot, and the approval is bound to that plan. */
const ec2 = {
  option: "ec2",
  kind: "flag",
  sparse: true,
  of: "one",
  means: "of one node, reboots through EC2 if its SSM agent takes no command; without it, where the agent is silent",
} as const satisfies Option;

/** For several nodes, its text is the name of their pool, so that it cannot hit another one. */
const force = {
  ...forceOfOne,
  means: `${forceOfOne.means}, or the name of the pool for several nodes`,
} as const satisfies Option;

/** Proof of a machine after its reboot, and the return of its node to service. */
const proving = [
  {
    name: "prove",
    words: { name: "proof", doing: "proving that the node works" },
    minutes: 45,
    cancellable: false,
  },
  {
    name: "restore",
    words: { name: "return", doing: "putting the node back as it was" },
    minutes: 5,
    cancellable: false,
  },
] as const satisfies readonly StageRow[];

/**
 * Stages of a reboot, up to restoring the node's schedulability. Windows may install updates during the boot for up to
 * two hours.
 */
const rebooting = [
  waitingForSlot,
  securingRoute,
  cordoning,
  evicting,
  {
    name: "reboot",
    words: { name: "reboot", doing: "rebooting the machine" },
    minutes: 150,
    cancellable: false,
  },
  ...proving,
] as const satisfies readonly StageRow[];

/** Stages of a restart of services. A service may take two minutes to stop and one to start. */
const restarting = [
  waitingForSlot,
  cordoning,
  {
    name: "restart",
    words: { name: "restart", doing: "restarting the services" },
    minutes: 30,
    cancellable: false,
  },
  ...proving,
] as const satisfies readonly StageRow[];

interface SeveralNodes {
  readonly targets: Targets | { readonly kind: "all" };
  readonly due?: true;
}

function nodesOf({ targets, due }: SeveralNodes): string {
  if (targets.kind === "all") return "due nodes";
  return due ? `due nodes of ${inWords(targets)}` : inWords(targets);
}

/** Reboots of one node or several, and the proof after them. */
export const reboot = {
  name: "reboot",
  commands: [
    commandOfMany({
      name: "reboot",
      also: ["reboot node", "reboot nodes", "reboot pool"],
      arguments: [targets],
      options: [dryRun, force, breakGlass, ec2, due, max, canary, at, now, reason],
      effect: "change",
      workflow: "reboot-node",
      workflowOfMany: "reboot-nodes",
      dialog: false,
      title: (request) =>
        `${request.dryRun ? "Dry run: reboot" : "Reboot"} ${"targets" in request ? nodesOf(request) : request.node}`,
      summary: "Drains and reboots Windows nodes, and proves that they work before pods return",
      detail:
        "Shows a plan first, as drain does. Then checks the guard of the metadata route, cordons the node, evicts its pods, reboots the machine once through SSM, and proves by its boot id, routes, services, container network and kubelet that it works. Only then is the node as it was before. A node that is not proven stays cordoned, with the first thing that is wrong. Of several nodes or a pool one is rebooted first; once it is proven, the others follow within the pool's limit. A node that fails pauses the rollout. With --force and the pool's name its plan lists every loss by workload; a node with a loss that the plan does not list when its turn comes is left out. With --due only nodes whose Windows waits for a reboot are rebooted. In a pool with maintenance windows it waits for the next one.",
      examples: [
        "reboot ip-10-0-3-7 --dry-run",
        'reboot ip-10-0-3-7 --reason "updates are pending"',
        "reboot web --max 2",
        "reboot ip-10-0-3-7 ip-10-0-3-8 --canary",
        "reboot --due",
        "reboot web --due --max 2",
        'reboot web --at "Sat 02:00"',
        "reboot web --force web",
      ],
    }),
    commandOfMany({
      name: "restart",
      also: ["restart node", "restart nodes", "restart pool"],
      arguments: [targets],
      options: [dryRun, breakGlass, restartDue, max, canary, at, now, reason],
      effect: "change",
      workflow: "restart-node",
      workflowOfMany: "reboot-nodes",
      dialog: false,
      title: (request) =>
        `${request.dryRun ? "Dry run: restart" : "Restart"} services of ${"targets" in request ? nodesOf(request) : request.node}`,
      summary: "Restarts the services of Windows nodes without a reboot; pods stay and go on running",
      detail:
        "Shows a plan first. Then cordons the node, stops kube-proxy, hybrid-overlay-node, kubelet and containerd, starts them again, and proves the node as after a reboot; a pod that was started before must still reach a Service. Several nodes or a pool are restarted as a reboot does it.",
      examples: ["restart ip-10-0-3-7 --dry-run", "restart web --max 2", "restart web --due"],
    }),
    command({
      name: "prove",
      also: ["prove node"],
      arguments: [node],
      options: [reason],
      effect: "change",
      workflow: "reboot-node",
      dialog: false,
      title: ({ node }) => `Prove ${node}`,
      summary: "Proves a node anew that a reboot left cordoned, and gives it back",
      detail:
        "Makes every check of the proof of a reboot again: machine, routes, services, container network, kubelet, data plane. A node that a reboot left cordoned is uncordoned once it is proven, unless others cordoned it. Reboots nothing and moves no pod.",
      examples: ["prove ip-10-0-3-7"],
    }),
  ],
  workflows: {
    "reboot-nodes": { hours: 12, account: "act", starts: ["reboot-node", "restart-node"] },
    "reboot-node": { hours: 12, account: "act", triesItsRights: true },
    "restart-node": { hours: 12, account: "act", triesItsRights: true },
  },
  stages: { reboot: rebooting, restart: restarting, proving },
  // continue: for a person to extend a drain that has passed its deadline.
  waits: { reboot: { continue: 30 } },
} as const satisfies Capability;
