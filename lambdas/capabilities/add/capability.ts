import type { Capability, StageRow } from "../capability.ts";
import { command } from "../command.ts";
import { dryRun, reason } from "../options.ts";

/**
 * The stages of a machine on its way into the cluster; each relies on all before it. Stages that run scripts have about
 * twice the time that they need with two cores and a disk that still loads from S3 (the figures are in
 * lib/sandbox/machine/loading.ts and lib/sandbox/core/figures.ts), on Windows Server 2025, if each result is found only
 * by the poll:
 * - guard: PowerShell 30 s and two small files, the guard's first run 65 s (it waits for EC2Launch), poll 45 s; then
 *   the observation: network modules 15 s, the list of features 210 s, a run of the guard 60 s, poll 45 s. 8 minutes.
 * - features: installing 180 s, an observation 120 s, the reboot 130 s and the agent's return 30 s, the observation
 *   after it with a cold disk 360 s, a last one 120 s, five polls of 45 s. 19 minutes. Another reboot takes 11 more; the
 *   stage's deadline ends a second one on a slow machine.
 * - payload: 700 MB from S3, each file hashed twice. 5 minutes.
 * - configure: two plans with PowerShell, firewall and Defender, services that start, two polls. 5 minutes.
 * - client-csr: long enough for a second join token, which is valid for ten minutes.
 * - probe: two probes of nine and a half minutes, of which the first may take them all to pull its image. 19 minutes.
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
    name: "probe",
    words: { name: "data plane", doing: "trying pods on the node" },
    minutes: 22,
    cancellable: true,
  },
  {
    name: "admit",
    words: { name: "admission", doing: "admitting pods" },
    minutes: 2,
    cancellable: false,
  },
] as const satisfies readonly StageRow[];

/** Adds nodes to a pool. */
export const add = {
  name: "add",
  commands: [
    command({
      name: "add",
      also: ["add node", "add nodes"],
      arguments: [
        { name: "pool", kind: "pool", required: true, means: "pool to add nodes to" },
        { name: "count", kind: "count", required: false, means: "number of nodes, 1 by default" },
      ],
      options: [dryRun, reason],
      effect: "change",
      workflow: "add-nodes",
      dialog: false,
      title: ({ pool, count, dryRun }) =>
        `${dryRun ? "Dry run: add" : "Add"} ${count} ${count === 1 ? "node" : "nodes"} to ${pool}`,
      summary: "Adds Windows nodes to a pool",
      detail:
        "Launches instances and brings each of them up as a Ready Windows node. One message shows the progress of every node. Requests above the pool's maximum are refused.",
      examples: ["add web", "add web 2", "add web 2 --dry-run", 'add web 2 --reason "more load on Monday"'],
    }),
  ],
  workflows: {
    "add-nodes": { hours: 12, account: "look", starts: ["provision-node"] },
    "provision-node": { hours: 8, account: "join", starts: ["probe-nodes"], triesItsRights: true },
  },
  stages: { provision },
  // queue: minutes until one of the join slots is free, before the launch begins.
  // terminate: minutes until EC2 has terminated the instance of a node that failed or was cancelled.
  // keepFailed: minutes until a person has decided about a failed machine.
  waits: { provision: { queue: 120, terminate: 10, keepFailed: 60 } },
} as const satisfies Capability;
