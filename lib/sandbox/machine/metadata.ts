import type { Machine } from "./machine.ts";
import { metadataRoute, removeLinkLocalRoutes } from "./network.ts";

/** What AWS's own clients say on a machine that cannot reach the metadata service (AWS SDK for .NET). */
const NO_CREDENTIALS = "Unable to get IAM security credentials from EC2 Instance Metadata Service.";

/** Does http://169.254.169.254 answer on this machine now? The mishap "lose-metadata-route" strikes at this question. */
export function metadataAnswers(machine: Machine): boolean {
  if (machine.strikes("lose-metadata-route")) {
    machine.log("TCPIP", "The link-local routes are gone.");
    removeLinkLocalRoutes(machine);
  }
  return metadataRoute(machine);
}

/** Are there credentials of an instance role behind the metadata service? @throws Error in the words of AWS's clients */
export function requireCredentials(machine: Machine): void {
  if (!metadataAnswers(machine) || machine.facts().instanceProfileArn === null) {
    throw new Error(NO_CREDENTIALS);
  }
}
