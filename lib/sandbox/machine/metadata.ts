import type { Machine } from "./machine.ts";
import { metadataRoute, removeLinkLocalRoutes } from "./network.ts";

/** Does http://169.254.169.254 answer on this machine now? The fault "lose-metadata-route" applies here. */
export function metadataAnswers(machine: Machine): boolean {
  if (machine.faultApplies("lose-metadata-route")) {
    machine.log("TCPIP", "The link-local routes are gone.");
    removeLinkLocalRoutes(machine);
  }
  return metadataRoute(machine);
}
