import { TAG } from "../../tags.ts";
import { typeThis } from "../command/forms.ts";
import { code } from "../slack/text.ts";

/** Kind of owner of a machine that Casement may not remove. */
type OwnerKind = "auto-scaling-group" | "machine-set" | "machine" | "windows-instances" | "karpenter" | "node-group";

/** Reason why a node is not removed. */
export type RemovalRefusal =
  | { readonly kind: "not-launched-by-us" | "linux" | "no-instance" | "termination-protected" }
  | { readonly kind: OwnerKind; readonly owner: string }
  | { readonly kind: "busy"; readonly operation: string }
  | { readonly kind: "last-of-build"; readonly build: string; readonly pods: number };

/** A refusal in words: why, and what somebody can do instead. */
export interface RefusalWords {
  readonly why: string;
  readonly next: string;
}

const owned =
  (what: string, next: string) =>
  ({ owner }: { readonly owner: string }): RefusalWords => ({
    why: `it belongs to the ${what} ${code(owner)}, which would replace it`,
    next,
  });

type Words = {
  readonly [K in RemovalRefusal["kind"]]: (
    of: Extract<RemovalRefusal, { kind: K }>,
    commandWord: string,
  ) => RefusalWords;
};

const words: Words = {
  "not-launched-by-us": () => ({
    why: `its instance was not launched by me (it carries no \`${TAG.launched}\` tag of this cluster)`,
    next: "whoever launched it removes it: drain it with kubectl, then terminate the instance in EC2",
  }),
  linux: () => ({
    why: "it is a Linux node, and I only act on Windows nodes",
    next: "use the cluster's own tools for it",
  }),
  "no-instance": () => ({
    why: "I find no EC2 instance behind it",
    next: "when the machine is really gone, delete the Node with kubectl",
  }),
  "termination-protected": () => ({
    why: "its instance is protected against termination",
    next: "whoever protected it lifts the protection in EC2 (DisableApiTermination), then ask again",
  }),
  "auto-scaling-group": owned("Auto Scaling group", "lower the group's desired capacity instead"),
  "machine-set": owned("MachineSet", "scale the MachineSet down, or delete its Machine, with oc"),
  machine: ({ owner }) => ({
    why: `it belongs to the Machine ${code(owner)} of the cluster's Machine API`,
    next: "delete that Machine with oc: its controller drains the node and ends the instance",
  }),
  "windows-instances": ({ owner }) => ({
    why: `the Windows Machine Config Operator has it as ${code(owner)} in its ConfigMap ${code("windows-instances")}`,
    next: "take that entry out with oc: the operator then takes the node out of the cluster",
  }),
  karpenter: owned("Karpenter NodeClaim", "delete the NodeClaim with kubectl"),
  "node-group": owned("node group", "scale the node group down instead"),
  busy: ({ operation }, commandWord) => ({
    why: `${code(operation)} works on it`,
    next: `wait for it, or stop it with ${typeThis(commandWord, "cancel", operation)}`,
  }),
  "last-of-build": ({ build, pods }, commandWord) => ({
    why: `it is the last schedulable node of Windows build ${code(build)}, and ${pods} ${pods === 1 ? "pod needs" : "pods need"} that build`,
    next: `add another one first: ${typeThis(commandWord, "add")} with a pool of that build`,
  }),
};

/** Says why a node is not removed, and what can be done instead. */
export const removalRefusal = (refusal: RemovalRefusal, commandWord: string): RefusalWords =>
  (words[refusal.kind] as (of: RemovalRefusal, commandWord: string) => RefusalWords)(refusal, commandWord);

const claimants: Readonly<Record<string, string>> = { "machine-set": "the MachineSet", machine: "the Machine" };

/** Reason to give one of Casement's machines no certificate: another controller of the cluster calls it its own. */
export const claimedByOthers = (machine: string, kind: OwnerKind, owner: string): string => {
  const by = claimants[kind] ? `${claimants[kind]} ${owner}` : "the ConfigMap windows-instances";
  return `${machine} is claimed by ${by}: its certificates are for that one's approver`;
};
