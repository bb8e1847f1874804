import type { AssistanceVerdict, OtherOwner } from "../../machine/assistance.ts";
import { typeThis } from "../command/syntax.ts";
import { code } from "../slack/text.ts";
import { assistanceFaults } from "./assist.ts";
import { waitOrStop } from "./busy.ts";
import { type IdentityFault, identityReason, identityRemedy } from "./identity.ts";
import { controllerWords, type OtherController } from "./other-controllers.ts";

/** Reason why Casement does not change a node. */
export type ChangeRefusal =
  | { readonly kind: "linux" | "no-instance" | "not-launched-by-us" | "assisted" }
  | { readonly kind: "owner"; readonly owner: OtherOwner; readonly assistance: AssistanceVerdict }
  | { readonly kind: "identity"; readonly fault: IdentityFault }
  | { readonly kind: "busy"; readonly operation: string }
  | { readonly kind: "not-running"; readonly state: string }
  | { readonly kind: "conflict"; readonly controller: OtherController };

/** Command of a change that was refused. */
export type ChangeName = "cordon" | "uncordon" | "drain" | "reboot" | "restart" | "guard" | "prove";

const done: Readonly<Record<ChangeName, string>> = {
  cordon: "cordoned",
  uncordon: "uncordoned",
  drain: "drained",
  reboot: "rebooted",
  restart: "given a restart of its services",
  prove: "proven",
  guard: "given a guard of the metadata route",
};

/** kubectl drains and cordons; it reboots nothing and changes no machine. */
function byHand(change: ChangeName, node: string): string {
  if (change === "prove") return `look at it with ${code(`kubectl describe node ${node}`)}`;
  if (change === "guard") return "leave its routes to the tool that launched it";
  if (change === "restart") return "restart its services with the tool that installed them";
  return change === "reboot"
    ? `drain it with ${code(`kubectl drain ${node}`)}, then reboot it in the EC2 console`
    : `use ${code(`kubectl ${change} ${node}`)}`;
}

/** Next steps: Casement's help once it was approved, unless the change needs more, or the owner's tools. */
const assistFirst = (change: ChangeName, node: string): string =>
  change === "restart"
    ? byHand(change, node)
    : `let Casement assist the machine with ${typeThis("assist", node)}, or ${byHand(change, node)}`;

function wordsOf(refusal: ChangeRefusal, change: ChangeName, node: string): readonly [string, string] {
  switch (refusal.kind) {
    case "linux":
      return ["it is a Linux node, and Casement manages Windows nodes only", byHand(change, node)];
    case "no-instance":
      return ["it has no EC2 instance", byHand(change, node)];
    case "not-launched-by-us":
      return ["its instance was not launched by Casement", byHand(change, node)];
    case "assisted":
      return [
        "Casement only assists its machine, whose services belong to another tool",
        `reboot the machine: ${typeThis("reboot", node)}`,
      ];
    case "identity":
      return [identityReason(refusal.fault), identityRemedy(refusal.fault)];
    case "not-running":
      return [
        `EC2 says that its instance is ${refusal.state}`,
        `start the instance in the EC2 console; that boots Windows, and its services start with it. If it is not needed any more: ${typeThis("remove", node)}`,
      ];
    case "busy":
      return [`${code(refusal.operation)} is working on it`, waitOrStop(refusal.operation)];
    case "owner": {
      const { does } = controllerWords(refusal, node);
      const fault = assistanceFaults[refusal.assistance];
      return [fault === null ? does : `${does}, and ${fault}`, assistFirst(change, node)];
    }
    case "conflict": {
      const { does, pause } = controllerWords(refusal.controller, node);
      return [does, pause];
    }
  }
}

/** Names the node, the reason and the next step: "`web-1` cannot be drained: kured is …. Next: …." */
export function changeRefused(refusal: ChangeRefusal, change: ChangeName, node: string): string {
  const [why, next] = wordsOf(refusal, change, node);
  return `${code(node)} cannot be ${done[change]}: ${why}. Next: ${next}.`;
}
