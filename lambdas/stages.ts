/** Words for a stage: its name as a noun, and the work that goes on in it. */
interface StageWords {
  readonly name: string;
  readonly doing: string;
}

/** A stage of a workflow on a node, as everybody but the workflow itself needs it. */
export interface StageRow {
  readonly name: string;
  readonly words: StageWords;
  /** Default of its deadline, `deadlines.<workflow>.<stage>`. */
  readonly minutes: number;
  /** A cancellation is heard up to the first stage that is not cancellable; from there on the node is finished. */
  readonly cancellable: boolean;
}

/**
 * The way of a machine into the cluster; each stage relies on all before it. Stages that run scripts are given about
 * twice what they need on two cores with a disk that is still filled from S3 (lib/sandbox/machine/loading.ts and
 * lib/sandbox/core/figures.ts have the figures), on Windows Server 2025, when each result is seen only by the poll:
 * - guard: PowerShell 30 s and two small files, the guard's first run 65 s (it waits for EC2Launch), poll 45 s; then the
 *   observation: network modules 15 s, the list of features 210 s, a run of the guard 60 s, poll 45 s. 8 minutes.
 * - features: installing 180 s, an observation 120 s, the reboot 130 s and the agent's return 30 s, everything cold again
 *   for the observation after it 360 s, a last one 120 s, five polls of 45 s. 19 minutes.
 * - payload: 700 MB from S3, each file hashed twice. 5 minutes.
 * - configure: two plans with PowerShell, firewall and Defender, services that start, two polls. 5 minutes.
 * - client-csr: long enough for a second join token, which lives for ten minutes.
 */
const provision = [
  {
    name: "launch",
    words: { name: "launch", doing: "launching the instance" },
    minutes: 10,
    cancellable: true,
  },
  {
    name: "agent",
    words: { name: "first boot", doing: "starting Windows and its SSM agent" },
    minutes: 20,
    cancellable: true,
  },
  {
    name: "guard",
    words: { name: "metadata route", doing: "securing the metadata route" },
    minutes: 15,
    cancellable: true,
  },
  {
    name: "features",
    words: { name: "Windows features", doing: "installing Windows features, with one reboot" },
    minutes: 40,
    cancellable: true,
  },
  {
    name: "payload",
    words: { name: "binaries", doing: "downloading the Kubernetes binaries" },
    minutes: 15,
    cancellable: true,
  },
  {
    name: "configure",
    words: { name: "services", doing: "configuring services" },
    minutes: 10,
    cancellable: true,
  },
  {
    name: "client-csr",
    words: { name: "client certificate", doing: "requesting a client certificate" },
    minutes: 20,
    cancellable: true,
  },
  {
    name: "node",
    words: { name: "registration", doing: "registering as a Node" },
    minutes: 5,
    cancellable: true,
  },
  {
    name: "serving-csr",
    words: { name: "serving certificate", doing: "requesting a serving certificate" },
    minutes: 10,
    cancellable: true,
  },
  {
    name: "network",
    words: { name: "pod network", doing: "bringing up the pod network" },
    minutes: 10,
    cancellable: true,
  },
  {
    name: "ready",
    words: { name: "readiness", doing: "waiting for the kubelet to be Ready" },
    minutes: 10,
    cancellable: true,
  },
  {
    name: "verify",
    words: { name: "labels and taints", doing: "checking labels, taints and provider id" },
    minutes: 10,
    cancellable: true,
  },
  {
    name: "admit",
    words: { name: "admission", doing: "admitting pods" },
    minutes: 2,
    cancellable: false,
  },
] as const satisfies readonly StageRow[];

/** Until one more node of the pool may be away. */
const waitingForSlot = {
  name: "slot",
  words: { name: "slot", doing: "waiting for a slot" },
  minutes: 60,
  cancellable: true,
} as const satisfies StageRow;

/** The first thing that any workflow does which takes a node out of service. */
const cordoning = {
  name: "cordon",
  words: { name: "cordon", doing: "cordoning the node" },
  minutes: 5,
  cancellable: true,
} as const satisfies StageRow;

/** Emptying a node; all its evictions share one deadline. */
const evicting = {
  name: "evict",
  words: { name: "eviction", doing: "evicting pods" },
  minutes: 15,
  cancellable: true,
} as const satisfies StageRow;

/** A drain that a person asked for: the node stays cordoned at its end. */
const drain = [waitingForSlot, cordoning, evicting] as const satisfies readonly StageRow[];

/** The way of a node out of the cluster, after a person has confirmed it. All evictions share one deadline. */
const remove = [
  waitingForSlot,
  cordoning,
  evicting,
  {
    name: "terminate",
    words: { name: "termination", doing: "terminating the instance" },
    minutes: 10,
    cancellable: false,
  },
  {
    name: "delete",
    words: { name: "Node object", doing: "deleting the Node object" },
    minutes: 5,
    cancellable: false,
  },
] as const satisfies readonly StageRow[];

/** The guard of the metadata route, installed and looked at. */
const securingRoute = {
  name: "guard",
  words: { name: "metadata route", doing: "securing the metadata route" },
  minutes: 15,
  cancellable: true,
} as const satisfies StageRow;

/**
 * A guard that a person asked for; nothing else on the machine is changed. `deadlines.guard` was a key of the last release, so
 * that the workflow has another name than its command.
 */
const guarding = [securingRoute] as const satisfies readonly StageRow[];

/**
 * Help for a machine of another owner, and its end: the tag and the guard, or both taken away again.
 */
const assisting = [
  { name: "tag", words: { name: "tag", doing: "tagging the machine" }, minutes: 5, cancellable: true },
  securingRoute,
  {
    name: "release",
    words: { name: "end of the assistance", doing: "taking guard and tag away" },
    minutes: 15,
    cancellable: false,
  },
] as const satisfies readonly StageRow[];

/** The proof of a machine after a reboot, and the return of its node. */
const proving = [
  { name: "prove", words: { name: "proof", doing: "proving that the node works" }, minutes: 45, cancellable: false },
  {
    name: "restore",
    words: { name: "return", doing: "putting the node back as it was" },
    minutes: 5,
    cancellable: false,
  },
] as const satisfies readonly StageRow[];

/**
 * A reboot that a person asked for, until the node is as it was before. Windows may install updates while it boots: up to two
 * hours.
 */
const reboot = [
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

/** A person's cordon or uncordon: one of the two, by the command. */
const cordon = [
  cordoning,
  { name: "uncordon", words: { name: "uncordon", doing: "uncordoning the node" }, minutes: 5, cancellable: true },
] as const satisfies readonly StageRow[];

/** The file by which kubelets know the API server, written when the cluster replaces its authority. */
const authority = [
  {
    name: "file",
    words: { name: "kubelet client authority", doing: "writing the kubelet's client authority" },
    minutes: 10,
    cancellable: true,
  },
] as const satisfies readonly StageRow[];

/** Every workflow on a node with its stages, in their order: progress, words, deadlines and the runbook derive from here. */
export const stages = { provision, cordon, guarding, assisting, authority, drain, reboot, proving, remove } as const;

/** A workflow that works on one node. */
export type NodeWorkflow = keyof typeof stages;

/** A stage of one workflow. */
export type StageOf<W extends NodeWorkflow> = (typeof stages)[W][number]["name"];

/** A stage of any workflow. */
export type StageName = StageOf<NodeWorkflow>;

/** All of them, in order. */
export const nodeWorkflows = Object.keys(stages) as readonly NodeWorkflow[];

/** The rows of one workflow, in order. */
export const stagesOf = (workflow: NodeWorkflow): readonly (StageRow & { readonly name: StageName })[] =>
  stages[workflow];

/**
 * Waits of a workflow that belong to no stage, with their default in minutes; `deadlines.<workflow>.<wait>`.
 * - queue: for one of the slots for machines on their way in, before the launch begins.
 * - terminate: for EC2 to terminate the instance of a node that failed or was cancelled.
 * - keepFailed: for a person to decide about a failed machine.
 * - dialog: for the answer to the dialog of a removal.
 * - continue: for a person to let a drain go on that has passed its deadline.
 * - proof: for the first node's kubelet to accept the API server with the new file: it reads the file once a minute.
 */
export const waits = {
  provision: { queue: 120, terminate: 10, keepFailed: 60 },
  cordon: {},
  guarding: {},
  assisting: {},
  authority: { proof: 5 },
  drain: { continue: 30 },
  reboot: { continue: 30 },
  proving: {},
  remove: { dialog: 10, continue: 30 },
} as const satisfies Readonly<Record<NodeWorkflow, Readonly<Record<string, number>>>>;

/** A wait of one workflow. */
export type WaitOf<W extends NodeWorkflow> = keyof (typeof waits)[W] & string;
