import type { StageOf } from "../../stages.ts";
import { type Remedy, stopped } from "../operation/remedy.ts";
import { ADD_ROUTE } from "./trouble.ts";

const notChanged: readonly Remedy[] = [
  {
    says: [],
    cause: "the API server refuses to change the Node, or does not answer",
    remedy: "run `{win} doctor`, which checks each permission",
  },
];

const addRoute = `add the route at its console: \`${ADD_ROUTE}\``;

/** Known failures of the stages that only a reboot has. */
export const rebootRemedies: Readonly<Record<"reboot" | "prove" | "restore", readonly Remedy[]>> = {
  reboot: [
    stopped,
    {
      says: ["not rebooted"],
      cause: "the guard of the metadata route is not in order",
      remedy: "run `{win} why` on the node, fix the guard, then try again",
    },
    {
      says: ["cannot be rebooted:"],
      cause:
        "while the pods left, another controller came to stand against the reboot, or the machine got another owner",
      remedy: "pause what the message names, as it says, then try again",
    },
    {
      says: ["did not happen", "its boot id has not changed", "reboot.ps1 failed"],
      cause: "the reboot did not take place",
      remedy: "check the machine's screenshot in the EC2 console, then try again",
    },
    {
      says: ["gave up waiting for"],
      beforeReboot: false,
      cause:
        "the machine has not come back from its reboot: Windows still installs updates, hangs, or has lost its route to the metadata service",
      remedy: `look at its screen in the EC2 console; reboot it through EC2, or, where Windows is up, ${addRoute}; then press Check again`,
    },
    {
      says: [],
      beforeReboot: true,
      cause: "the machine takes no command, so it was not told to reboot",
      remedy: "run `{win} why` on the node; while its SSM agent is silent, reboot it through EC2",
    },
    {
      says: [],
      beforeReboot: false,
      cause: "the machine was told to reboot, and whether it did is not known",
      remedy: "run `{win} why` on the node, then press Check again",
    },
  ],
  prove: [
    {
      says: ["Metadata service:", "Link-local routes:", "SSM agent:"],
      cause: "the machine has lost its route to the metadata service",
      remedy: `reboot it through EC2, or ${addRoute}; then press Check again`,
    },
    {
      says: ["registered as a new Node"],
      cause: "someone deleted the Node during the reboot",
      remedy:
        "run `{win} why` on the node; once only the taint is left, `kubectl taint node <node> casement.dev/starting-` lets pods start on it",
    },
    {
      says: ["Node object:", "the Node was deleted"],
      cause: "someone deleted the Node after the reboot",
      remedy: "restart the kubelet or the machine: it registers as a new Node then",
    },
    {
      says: ["watched after its proof"],
      cause: "the node did not stay well: a service ends again, or something else reboots the machine",
      remedy: "check the System event log, fix what it names, then press Check again",
    },
    {
      says: [],
      cause: "a check of the node fails after its reboot",
      remedy: "run `{win} why` on the node, fix what it names, then press Check again",
    },
  ],
  restore: notChanged,
};

/** Known failures of a cordon and an uncordon, whichever workflow they belong to. */
export const cordonRemedies: Readonly<Record<StageOf<"cordon">, readonly Remedy[]>> = {
  cordon: notChanged,
  uncordon: notChanged,
};
