import type { StageOf } from "../../stages.ts";
import { ADD_ROUTE } from "../health/trouble-text.ts";
import type { CodeRemedies, StageRemedies } from "./remedy.ts";

/** Failures of the guard of the metadata route, wherever it is looked at. */
export const guardCodes = {
  "guard-of-another-release": {
    cause: "the node was set up by another release of Casement",
    remedy: "run `{win} guard` on the node, then try again",
  },
  "guard-task-missing": {
    cause: "the task was removed, possibly by an antivirus",
    remedy: "allow the task `Casement guard` in the image's antivirus",
  },
  "guard-failed": null,
  "network-paths": {
    cause: "the machine has several default gateways, or none",
    remedy: "attach exactly one network interface",
  },
  "guard-not-in-order": {
    cause: "the guard of the metadata route is not in order",
    remedy: "run `{win} why` on the node, fix the guard, then try again",
  },
} as const satisfies CodeRemedies;

const addRoute = `add the route at its console: \`${ADD_ROUTE}\``;

/** Failures of a reboot and of the proof after it. */
export const rebootCodes = {
  "reboot-stood-against": {
    cause:
      "while the work waited, another controller came to stand against the reboot or restart, or the machine got another owner",
    remedy: "pause what the message names, as it says, then try again",
  },
  "reboot-not-happened": {
    cause: "the reboot did not take place",
    remedy: "check the machine's screenshot in the EC2 console, then try again",
  },
  "restart-not-happened": {
    cause: "a service was not restarted",
    remedy: "run `{win} why` on the node; press Check again if its services run, and reboot it otherwise",
  },
  "route-lost": {
    cause: "the machine has lost its route to the metadata service",
    remedy: `reboot it through EC2, or ${addRoute}; then press Check again`,
  },
  "endpoints-lost": {
    cause: "pods that run have lost their network, which no restart of services gives back",
    remedy: "reboot the node: `{win} reboot` evicts these pods, so that others take their place",
  },
  "registered-anew": {
    cause: "someone deleted the Node during the reboot or restart",
    remedy:
      "run `{win} why` on the node; once only the taint is left, `kubectl taint node <node> casement.dev/starting-` lets pods start on it",
  },
  "other-node": {
    cause: "the machine and its Node stopped belonging together: another Node names the instance",
    remedy: "run `{win} doctor`, which names the Nodes, delete the wrong one with kubectl, then try again",
  },
  "check-fails": null,
  "not-soaked": {
    cause: "the node did not stay well: a service ends again, or something else reboots the machine",
    remedy: "check the System event log, fix what it names, then press Check again",
  },
} as const satisfies CodeRemedies;

const notChanged: StageRemedies = {
  own: {
    cause: "the API server refuses to change the Node, or does not answer",
    remedy: "run `{win} doctor`, which checks each permission",
  },
};

const notBack = {
  cause: "Windows still installs updates, hangs, or has lost its route to the metadata service",
  remedy: `look at its screen; while Windows installs updates, wait; otherwise reboot it through EC2, or, where Windows is up, ${addRoute}; then press Check again`,
};

const notRestarted = {
  cause: "a service did not stop or did not start",
  remedy:
    "read what the message names; reboot the node, or mend the service on the machine and restart the services again: those that need it stay stopped until then",
};

/** Stages that only a reboot or a restart has; "not-rebooted" until the reboot was ordered. */
type RebootPlace = StageOf<"proving"> | "reboot" | "restart" | "not-rebooted";

/** Remedies of the stages of a reboot and of a restart. */
export const rebootStages: Readonly<Record<RebootPlace, StageRemedies>> = {
  reboot: {
    own: {
      cause: "the machine was told to reboot, and whether it did is not known",
      remedy: "run `{win} why` on the node, then press Check again",
    },
    unlike: { "deadline-passed": notBack, "script-slow": notBack, "command-waits": notBack },
  },
  "not-rebooted": {
    own: {
      cause: "the machine takes no command, so it was not told to reboot",
      remedy: "run `{win} why` on the node; while its SSM agent is silent, reboot it through EC2",
    },
  },
  restart: {
    own: notRestarted,
    unlike: { "service-hangs": notRestarted, "service-not-started": notRestarted },
  },
  prove: {
    own: {
      cause: "a check of the node fails after its reboot or restart",
      remedy: "run `{win} why` on the node, fix what it names, then press Check again",
    },
    unlike: {
      "node-deleted": {
        cause: "someone deleted the Node after the reboot or restart",
        remedy: "restart the kubelet or the machine: it registers as a new Node then",
      },
    },
  },
  restore: notChanged,
};

/** Stages of a cordon and an uncordon, whichever workflow they belong to. */
export const cordonStages: Readonly<Record<StageOf<"cordon">, StageRemedies>> = {
  cordon: notChanged,
  uncordon: notChanged,
};

/**
 * The stages in which a machine in service gets an input: its kubelet's authority, its registries' files, certificates,
 * or the variables of the proxy.
 */
export const inputStages: Readonly<Record<"file" | "files" | "certificates" | "variables", StageRemedies>> = {
  file: {
    own: {
      cause: "the machine did not take the file, or its kubelet does not serve logs with it",
      remedy: "read `C:\\Casement\\apply.log` and `C:\\var\\log\\kubelet`",
    },
  },
  certificates: {
    own: {
      cause: "the machine did not take the certificates",
      remedy: "read `C:\\Casement\\apply.log` on the machine; the schedule tries again in an hour",
    },
  },
  files: {
    own: {
      cause: "the machine did not take the files",
      remedy: "read `C:\\Casement\\apply.log` on the machine; the schedule tries again in an hour",
    },
  },
  variables: {
    own: {
      cause: "the machine did not take the variables",
      remedy: "read `C:\\Casement\\apply.log` on the machine; the schedule tries again in an hour",
    },
  },
};

/** Stages that only an assistance has. */
export const assistStages: Readonly<Record<Exclude<StageOf<"assisting">, "guard">, StageRemedies>> = {
  tag: {
    own: {
      cause: "EC2 did not set the tag, or does not show it",
      remedy: "run `{win} doctor`, which checks each permission",
    },
  },
  release: {
    own: {
      cause: "the machine did not let go of the guard, or EC2 of the tag",
      remedy: "clear what the message names, then run the command again",
    },
  },
};
