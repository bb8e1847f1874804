import type { Message } from "../../records/records.ts";
import { TAG } from "../../tags.ts";
import { typeThis } from "../command/syntax.ts";
import { waitOrStop } from "../node/busy.ts";
import { type IdentityFault, identityReason, identityRemedy } from "../node/identity.ts";
import { say } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code } from "../slack/text.ts";

/** Kind of owner of a machine that Casement may not remove. */
type OwnerKind = "auto-scaling-group" | "machine-set" | "machine" | "windows-instances" | "karpenter" | "node-group";

/** Reason why a node cannot be removed. */
export type RemovalRefusal =
  | { readonly kind: "not-launched-by-us" | "linux" | "no-instance" | "already-terminated" | "termination-protected" }
  | { readonly kind: OwnerKind; readonly owner: string }
  | { readonly kind: "identity"; readonly fault: IdentityFault }
  | { readonly kind: "busy"; readonly operation: string }
  | { readonly kind: "last-of-build"; readonly build: string; readonly pods: number };

/** Texts of a refusal: the reason and the next step, each a clause. */
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
  readonly [K in RemovalRefusal["kind"]]: (of: Extract<RemovalRefusal, { kind: K }>) => RefusalWords;
};

const words: Words = {
  "not-launched-by-us": () => ({
    why: `its instance was not launched by Casement (it has no \`${TAG.launched}\` tag of this cluster)`,
    next: "drain it with kubectl, then terminate the instance in EC2",
  }),
  linux: () => ({
    why: "it is a Linux node, and Casement manages Windows nodes only",
    next: "use the cluster's own tools",
  }),
  "no-instance": () => ({
    why: "it has no EC2 instance",
    next: "if the machine no longer exists, delete the Node with kubectl",
  }),
  "already-terminated": () => ({
    why: "its instance is already terminated",
    next: "nothing is left to remove",
  }),
  "termination-protected": () => ({
    why: "its instance has termination protection",
    next: "turn off termination protection in EC2 (DisableApiTermination), then try again",
  }),
  "auto-scaling-group": owned("Auto Scaling group", "lower the group's desired capacity instead"),
  "machine-set": owned("MachineSet", "scale the MachineSet down, or delete its Machine, with oc"),
  machine: ({ owner }) => ({
    why: `it belongs to the Machine ${code(owner)} of the cluster's Machine API`,
    next: "delete that Machine with oc: its controller drains the node and terminates the instance",
  }),
  "windows-instances": ({ owner }) => ({
    why: `the Windows Machine Config Operator manages it as ${code(owner)} in its ConfigMap ${code("windows-instances")}`,
    next: "remove that entry with oc: the operator then removes the node from the cluster",
  }),
  karpenter: owned("Karpenter NodeClaim", "delete the NodeClaim with kubectl"),
  "node-group": owned("node group", "scale the node group down instead"),
  identity: ({ fault }) => ({ why: identityReason(fault), next: identityRemedy(fault) }),
  busy: ({ operation }) => ({
    why: `${code(operation)} is working on it`,
    next: waitOrStop(operation),
  }),
  "last-of-build": ({ build, pods }) => ({
    why: `it is the last schedulable node of Windows build ${code(build)}, and ${pods} ${pods === 1 ? "pod needs" : "pods need"} that build`,
    next: `add another one first: ${typeThis("add")} with a pool of that build`,
  }),
};

/** Explains why a node cannot be removed, and names the next step. */
export const removalRefusal = (refusal: RemovalRefusal): RefusalWords =>
  (words[refusal.kind] as (of: RemovalRefusal) => RefusalWords)(refusal);

/** Names the node, the reason and the next step, for the ledger and for errors. */
export const removalRefusedText = (node: string, { why, next }: RefusalWords): string =>
  `${code(node)} cannot be removed: ${why}. Next: ${next}.`;

/** Builds the message with node, reason and next step, for the dialog or for the requester of a dry run. */
export const removalRefusedMessage = (node: string, { why, next }: RefusalWords): Message =>
  say(`${sign.refused} ${code(node)} cannot be removed: ${why}.\n*Next:* ${next}.`);

const claimants: Readonly<Record<string, string>> = { "machine-set": "the MachineSet", machine: "the Machine" };

/** Reason to refuse a certificate to one of Casement's machines: another controller of the cluster claims it. */
export const claimedByOthers = (machine: string, kind: OwnerKind, owner: string): string => {
  const by = claimants[kind] ? `${claimants[kind]} ${owner}` : "the ConfigMap windows-instances";
  return `${machine} is claimed by ${by}, whose approver is responsible for its certificates`;
};
