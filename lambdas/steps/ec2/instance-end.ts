import type { FailureCode } from "../../records/failures.ts";
import type { Machine } from "./instances.ts";
import { launchCodes } from "./launch-codes.ts";

/**
 * Did EC2 end the instance itself, without a caller's request? (API reference, StateReason: codes that begin with
 * "Server.", and refusals of a launch)
 */
export const wasGivenUp = (machine: Pick<Machine, "because">): boolean =>
  (machine.because ?? "").startsWith("Server.") || codeOfEnd(machine) !== "machine-ended";

/**
 * Explains EC2's only error for an encryption key that must not be used (EC2 user guide, "Instance terminates
 * immediately").
 */
const isAboutKeys = ({ because = "" }: Pick<Machine, "because">): boolean => because.startsWith("Client.InternalError");

const aboutKeys = (because: string): string =>
  isAboutKeys({ because })
    ? ". The key that encrypts its volumes could not be used: `aws.volumeKey` names a customer-managed one, see the runbook, stage launch"
    : "";

/** Describes the end of an instance, as far as EC2 reports it. */
export const instanceEnd = ({ instanceId, state, because }: Machine): string =>
  `${instanceId} is ${state}: ${because ? `EC2 says ${because}${aboutKeys(because)}` : "it was stopped or terminated outside Casement"}`;

/**
 * Code of the end of an instance. EC2 finds some refusals only after it has given the instance an id, and names them as its
 * reason by the codes of RunInstances: "Client.VolumeLimitExceeded: Volume limit exceeded" (API reference, StateReason).
 */
export function codeOfEnd(machine: Pick<Machine, "because">): FailureCode {
  if (isAboutKeys(machine)) return "volume-key-unusable";
  const [, name = ""] = /^(?:Client|Server)\.([\w.]+)/.exec(machine.because ?? "") ?? [];
  return launchCodes[name]?.code ?? "machine-ended";
}
