import type { FailureCode } from "../../records/failures.ts";
import { launchCodes } from "./launch-codes.ts";

/** An instance that has ended or was stopped. */
interface EndedInstance {
  readonly instanceId: string;
  readonly state: string;
  /** EC2's reason: "Server.InternalError: Internal error on launch". */
  readonly because?: string;
}

/**
 * Did EC2 end the instance itself, without a caller's request? (API reference, StateReason: codes that begin with
 * "Server.", and refusals of a launch)
 */
export const wasGivenUp = (machine: Pick<EndedInstance, "because">): boolean =>
  (machine.because ?? "").startsWith("Server.") || codeOfEnd(machine) !== "machine-ended";

/**
 * Explains EC2's only error for an encryption key that must not be used (EC2 user guide, "Instance terminates
 * immediately").
 */
const isAboutKeys = ({ because = "" }: Pick<EndedInstance, "because">): boolean =>
  because.startsWith("Client.InternalError");

const aboutKeys = (because: string): string =>
  isAboutKeys({ because })
    ? ". The key that encrypts its volumes could not be used: `aws.volumeKey` names a customer-managed one, see the runbook, stage launch"
    : "";

/** Describes the end of an instance, as far as EC2 reports it. */
export const instanceEnd = ({ instanceId, state, because }: EndedInstance): string =>
  `${instanceId} is ${state}: ${because ? `EC2 says ${because}${aboutKeys(because)}` : "it was stopped or terminated outside Casement"}`;

/** EC2's code in the reason of an end: "Server.InsufficientInstanceCapacity: …"; empty without one. */
const nameOfEnd = ({ because = "" }: Pick<EndedInstance, "because">): string =>
  /^(?:Client|Server)\.([\w.]+)/.exec(because)?.[1] ?? "";

/**
 * Finds EC2's code for an instance that ended because its place has no room, though EC2 had accepted the launch.
 * @returns null for any other end
 */
export const noRoomAtEnd = (machine: Pick<EndedInstance, "because">): string | null => {
  const name = nameOfEnd(machine);
  return launchCodes[name]?.group === "next place" ? name : null;
};

/**
 * Code of the end of an instance. EC2 finds some refusals only after it has given the instance an id, and names them as its
 * reason by the codes of RunInstances: "Client.VolumeLimitExceeded: Volume limit exceeded" (API reference, StateReason).
 */
export function codeOfEnd(machine: Pick<EndedInstance, "because">): FailureCode {
  if (isAboutKeys(machine)) return "volume-key-unusable";
  return launchCodes[nameOfEnd(machine)]?.code ?? "machine-ended";
}
