import { type Failure, type FailureCode, isFailureCode } from "../../records/failures.ts";
import type { StageName } from "../../stages.ts";
import { dataPlaneCodes } from "./data-plane-remedies.ts";
import { machineCodes } from "./machine-remedies.ts";
import { assistStages, cordonStages, guardCodes, inputStages, rebootCodes, rebootStages } from "./node-remedies.ts";
import { addingCodes, addingStages } from "./provision-remedies.ts";
import type { CodeRemedies, Remedy, StageRemedies } from "./remedy.ts";
import { evictionCodes, removalStages } from "./removal-remedies.ts";

const operationCodes = {
  "aws-throttled": {
    cause: "AWS throttles the account",
    remedy: "start no other operations until the throttling ends, then try again",
  },
  "aws-denied": {
    cause: "the role was changed, or a service control policy forbids it",
    remedy: "deploy again, or ask who owns the policy",
  },
  "api-denied": {
    cause: "an admission policy or a webhook of the cluster refuses the change",
    remedy: "read its message below, and ask its owner",
  },
  "api-unauthorized": {
    cause: "the cluster does not give Casement's account the right, or rejects its credential",
    remedy: "run `{win} doctor`, which names what is missing, then try again",
  },
  "image-not-pulled": {
    cause: "the mirror does not have the image, or the node does not reach it; the node has its files from before",
    remedy:
      "pull the image from the mirror on a Linux node, edit the mirror set, or run `{win} reconcile` to try again",
  },
  "registry-unauthorized": {
    cause:
      "the mirror wants a user and a password, or others than those that are stored; the node has its files from before",
    remedy: "store the right ones with `npm run connect -- registries`: nodes get them within five minutes",
  },
  "slot-taken": {
    cause: "the pool already has as many nodes out of service as `maxUnavailable` allows",
    remedy: "repair the nodes that the message names (`{win} why`), or wait for its operations, then try again",
  },
  "worse-than-approved": {
    cause: "the node changed after its plan was approved",
    remedy: "run the command on this node alone: it is planned anew",
  },
  "frozen-or-held": {
    cause: "a freeze or a hold was set after the request",
    remedy: "wait until it ends, or end it with `{win} thaw` or `{win} unhold`, then try again",
  },
  "deadline-passed": null,
  "called-off": {
    cause: "the operation was cancelled while the machine had its command",
    remedy: "run `{win} guard` on the node once more, so that its guard is whole",
  },
  interrupted: {
    cause: "the function crashed three times in the middle of a call",
    remedy: "check the AWS Health Dashboard, then try again",
  },
  "execution-ended": {
    cause: "the function that worked on the node ended with an error",
    remedy: 'see "Failed executions" in the runbook',
  },
  unexpected: null,
} as const satisfies CodeRemedies;

/** The likely cause of each failure; null where the stage tells more. A code without an entry does not compile. */
export const codeRemedies: Readonly<Record<FailureCode, Remedy | null>> = {
  ...addingCodes,
  ...dataPlaneCodes,
  ...machineCodes,
  ...guardCodes,
  ...evictionCodes,
  ...rebootCodes,
  ...operationCodes,
};

/** A stage; or the part of the stage "reboot" before the reboot was ordered. */
export type Place = StageName | "not-rebooted";

/** Remedies of each stage. A stage without an entry does not compile. */
export const stageRemedies: Readonly<Record<Place, StageRemedies>> = {
  ...addingStages,
  ...cordonStages,
  ...assistStages,
  ...inputStages,
  ...rebootStages,
  ...removalStages,
};

/** Finds the likely cause of a failure: by its code as its stage means it, else by its code, else the stage's own. */
export function remedyOf({ stage, code, isNotRebooted }: Pick<Failure, "stage" | "code" | "isNotRebooted">): Remedy {
  const { own, unlike = {} } = stageRemedies[isNotRebooted && stage === "reboot" ? "not-rebooted" : stage];
  return isFailureCode(code) ? (unlike[code] ?? codeRemedies[code] ?? own) : own;
}
