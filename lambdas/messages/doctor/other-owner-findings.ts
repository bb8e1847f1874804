import type { AssistanceFault } from "../../machine/assistance.ts";
import { typeThis } from "../command/syntax.ts";
import { assistanceFaults } from "../node/assist.ts";
import { type IdentityFault, identityReason, identityRemedy } from "../node/identity.ts";
import { code } from "../slack/text.ts";
import { broken, type FindingText, list, warning } from "./finding-text.ts";

interface Named {
  readonly machines: readonly string[];
}

interface Powerless {
  readonly machines: readonly { readonly instanceId: string; readonly fault: AssistanceFault }[];
}

/** Texts of the findings about machines of other owners, and about Nodes of other machines. */
export const ofOtherOwners = {
  "node-identity": ({ fault }: { readonly fault: IdentityFault }): FindingText =>
    broken("Nodes", `${identityReason(fault)}, so that Casement changes neither`, identityRemedy(fault)),
  "others-without-profile": ({ machines }: Named): FindingText =>
    warning(
      "Nodes",
      `Casement cannot assist ${list(machines)} of other owners: the instances have no instance profile, so that an SSM agent there has no rights`,
      `attach one whose role has the policy ${code("AmazonSSMManagedInstanceCore")}`,
    ),
  "others-without-agent": ({ machines }: Named): FindingText =>
    warning(
      "Nodes",
      `Casement cannot assist ${list(machines)} of other owners: no SSM agent has registered there`,
      `install the agent, give the instances' role the policy ${code("AmazonSSMManagedInstanceCore")}, and open port 443 to Systems Manager`,
    ),
  "others-silent": ({ machines }: Named): FindingText =>
    warning(
      "Nodes",
      `the SSM agent is not online on ${list(machines)} of other owners`,
      "check that they run and reach the metadata service",
    ),
  "assistance-without-power": ({ machines }: Powerless): FindingText =>
    warning(
      "Nodes",
      machines.map(({ instanceId, fault }) => `${code(instanceId)}: ${assistanceFaults[fault]}`).join("; "),
      `${typeThis("assist", "<node>")} asks for the approval anew, and ${typeThis("assist", "<node>", "--end")} takes tag and guard away`,
    ),
};
