import type { AssistanceVerdict, OtherOwner } from "../../machine/assistance.ts";
import type { PlanCard } from "../../records/approval.ts";
import type { Message } from "../../records/records.ts";
import { clusterTag, TAG } from "../../tags.ts";
import { typeThis } from "../command/syntax.ts";
import { ADD_ROUTE } from "../health/trouble-text.ts";
import { removalRefusal } from "../remove/refusal.ts";
import { context, section } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, plain } from "../slack/text.ts";
import { waitOrStop } from "./busy.ts";
import { type IdentityFault, identityReason, identityRemedy } from "./identity.ts";
import { controllerWords, type OtherController } from "./other-controllers.ts";

const TAGGED = code(TAG.managed);

/** Reason why a machine that looks assisted is not, as a clause after its owner; null where nothing looks so. */
export const assistanceFaults: Readonly<Record<AssistanceVerdict, string | null>> = {
  assisted: null,
  none: null,
  "tag-of-others": `its tag ${TAGGED} was not set by an approved operation, so that it has no power`,
  "tag-gone": `its tag ${TAGGED} is gone or names another cluster, so that its approval has no power`,
  "started-anew":
    "its instance was stopped and started since Casement's help was approved, so that the approval has no power",
  "another-owner": "it has another owner than when Casement's help was approved, so that the approval has no power",
  unfinished: "the operation that was to assist it has not ended well",
};

/** Reason why a node cannot be assisted. */
export type AssistRefusal =
  | { readonly kind: "linux" | "control-plane" | "no-instance" | "launched-by-us" | "no-owner" }
  | { readonly kind: "launched-and-owned"; readonly owner: OtherOwner }
  | { readonly kind: "not-of-cluster"; readonly instanceId: string; readonly clusterId: string }
  | { readonly kind: "assisted"; readonly operation: string }
  | { readonly kind: "identity"; readonly fault: IdentityFault }
  | { readonly kind: "busy"; readonly operation: string }
  | { readonly kind: "no-profile"; readonly instanceId: string }
  | { readonly kind: "no-agent"; readonly instanceId: string }
  | { readonly kind: "agent-silent" };

const POLICY = code("AmazonSSMManagedInstanceCore");

type Unreached = Extract<AssistRefusal, { kind: "no-profile" | "no-agent" | "agent-silent" }>;

/** Reason and next step where no command reaches the machine. */
function unreachedWords(refusal: Unreached, node: string): readonly [string, string] {
  switch (refusal.kind) {
    case "no-profile":
      return [
        "its instance has no instance profile, so that its SSM agent has no rights",
        `its owner attaches one whose role has the policy ${POLICY}`,
      ];
    case "no-agent":
      return [
        "no SSM agent has registered for its instance",
        `its owner installs the agent, gives the instance's role the policy ${POLICY}, and opens port 443 to Systems Manager`,
      ];
    case "agent-silent":
      return [
        "its SSM agent does not answer, mostly because the route to the metadata service is lost",
        `its owner adds the route in the EC2 serial console, \`${ADD_ROUTE}\`, since a reboot without the guard loses it again; then ${typeThis("assist", node)} again`,
      ];
  }
}

/** Reason and next step, each a clause. */
function refusalWords(refusal: AssistRefusal, node: string): readonly [string, string] {
  switch (refusal.kind) {
    case "linux":
      return ["it is a Linux node, and Casement works on Windows nodes only", "use the cluster's own tools"];
    case "control-plane":
      return ["it belongs to the control plane", "use the cluster's own tools"];
    case "no-instance":
      return ["it has no EC2 instance", `look at it with ${code(`kubectl describe node ${node}`)}`];
    case "launched-by-us":
      return ["Casement launched it, so that every command works on it already", `use ${typeThis("reboot", node)}`];
    case "launched-and-owned":
      return [
        `Casement launched it, and ${removalRefusal(refusal.owner).why}`,
        "take it out of the other owner's hands: one of the two must own it",
      ];
    case "no-owner":
      return [
        "no MachineSet, Machine, entry of `windows-instances`, node group, Auto Scaling group or NodeClaim owns it, and Casement did not launch it",
        `use ${code(`kubectl drain ${node}`)} and the EC2 console`,
      ];
    case "not-of-cluster":
      return [
        `its instance lacks the cluster's tag ${code(clusterTag(refusal.clusterId))}`,
        `its owner sets it: ${code(`aws ec2 create-tags --resources ${refusal.instanceId} --tags Key=${clusterTag(refusal.clusterId)},Value=owned`)}`,
      ];
    case "assisted":
      return [
        `it is assisted already, by ${code(refusal.operation)}`,
        `use ${typeThis("guard", node)} to repair its guard, or ${typeThis("assist", node, "--end")} to end it`,
      ];
    case "identity":
      return [identityReason(refusal.fault), identityRemedy(refusal.fault)];
    case "busy":
      return [`${code(refusal.operation)} is working on it`, waitOrStop(refusal.operation)];
    default:
      return unreachedWords(refusal, node);
  }
}

/** Names the node, the reason and the next step. */
export function assistRefused(refusal: AssistRefusal, node: string): string {
  const [why, next] = refusalWords(refusal, node);
  return `${code(node)} cannot be assisted: ${why}. Next: ${next}.`;
}

/** Answer to the wish to end an assistance that there is not. */
export const notAssisted = (node: string): string =>
  `${code(node)} is not assisted. Nothing was changed. ${typeThis("node", node)} shows whose it is.`;

/** Refusal to end the assistance of a machine that does not belong to the Node. */
export const assistanceOfAnother = (node: string, fault: IdentityFault): string =>
  `The assistance of ${code(node)} cannot end: ${identityReason(fault)}. Next: ${identityRemedy(fault)}.`;

/** Answer while another operation holds the machine whose assistance is to end. */
export const assistanceBusy = (node: string, operation: string): string =>
  `The assistance of ${code(node)} cannot end: ${code(operation)} is working on it. Next: ${waitOrStop(operation)}.`;

/** Facts of a machine of another owner that the card shows. */
export interface AssistPlan {
  readonly node: string;
  readonly instanceId: string;
  /** EC2's name of the machine. */
  readonly machineName: string;
  readonly owner: OtherOwner;
  readonly others: readonly OtherController[];
  /** Facts that could not be read, in words. */
  readonly unread: readonly string[];
  /** The tag and the ledger before. */
  readonly before: AssistanceVerdict;
}

const ownerNames: Readonly<Record<OtherOwner["kind"], string>> = {
  "auto-scaling-group": "Auto Scaling group",
  "machine-set": "MachineSet",
  machine: "Machine",
  "windows-instances": "entry of WMCO's ConfigMap windows-instances",
  karpenter: "Karpenter NodeClaim",
  "node-group": "node group",
};

/** Names an owner: "the MachineSet `winworker`". */
const ownerWords = ({ kind, owner }: OtherOwner): string => `the ${ownerNames[kind]} ${code(owner)}`;

/** Controllers other than the owner, each with how its owner pauses it. */
function warnings({ others, unread, node }: AssistPlan): ReturnType<typeof section>[] {
  const lines = others
    .filter(({ kind }) => kind !== "owner")
    .map((one) => {
      const { does, pause } = controllerWords(one, node);
      return `• ${does}. To pause it: ${pause}.`;
    });
  const gaps = unread.map((what) => `• not read: ${plain(what, 200)}`);
  const all = [...lines, ...gaps];
  return all.length > 0
    ? [section(`*Other controllers*, which may stand against a reboot later:\n${all.join("\n")}`)]
    : [];
}

/** Warning of a Node with another name than EC2's: only its kubelet says that it runs on that machine. */
const otherName = ({ node, instanceId, machineName }: AssistPlan): string =>
  `${sign.warning} EC2 names the machine ${code(machineName)}, and its Node is ${code(node)}. Approve only if ${code(node)} runs on ${code(instanceId)}.`;

const blocksOf = (plan: AssistPlan): PlanCard["blocks"] => [
  section(
    `${code(plan.node)} (${code(plan.instanceId)}) belongs to ${ownerWords(plan.owner)}. Casement sets the tag ${TAGGED} on the instance, installs the guard of the metadata route and checks it. No service is restarted and no pod is moved.`,
  ),
  section(
    `*Casement will*, each time it is asked: look at the machine, cordon and uncordon the node, drain it, reboot it and prove that it works, repair the guard.\n*Casement will not* touch its files, services, certificates or mirrors, nor stop, remove or replace it: that stays with its owner.`,
  ),
  ...(plan.machineName === plan.node ? [] : [section(otherName(plan))]),
  ...(assistanceFaults[plan.before] === null
    ? []
    : [section(`${sign.warning} Before: ${assistanceFaults[plan.before]}.`)]),
  ...warnings(plan),
];

/** The plan of an assistance, for the message that asks for its approval. */
export const assistPlanCard = (plan: AssistPlan): PlanCard => ({
  blocks: [section("*Plan*: assist a node of another owner."), ...blocksOf(plan)],
});

/** The dry run of an assistance, which only the requester sees. */
export const assistDryRun = (plan: AssistPlan): Message => ({
  text: `Dry run: assist ${plan.node}`,
  blocks: [
    section("*Dry run: nothing was changed.*"),
    ...(blocksOf(plan) as Message["blocks"]),
    context(`To apply: ${typeThis("assist", plan.node)}`),
  ],
});

/** The dry run of an assistance's end. */
export const assistEndDryRun = (node: string): Message => ({
  text: `Dry run: end the assistance of ${node}`,
  blocks: [
    section(
      `*Dry run: nothing was changed.* Casement's guard and the tag ${TAGGED} would be taken off the machine of ${code(node)}; its owner keeps it as it is.`,
    ),
    context(`To apply: ${typeThis("assist", node, "--end")}`),
  ],
});

/** Wait for EC2 to show the tag. */
export const tagToShow = "EC2 to show the tag";

/** Outcome of an assistance, for message and ledger. */
export const assistSummary = {
  begun: (node: string): string =>
    `${node} is assisted: the guard of the metadata route works, and the node can be drained and rebooted.`,
  ended: (node: string): string => `${node} is not assisted any more: guard and tag are taken away.`,
  endedWithGuard: (node: string): string =>
    `${node} is not assisted any more: the tag is taken away. Its SSM agent did not answer, so that the guard is still on the machine: there, Unregister-ScheduledTask "Casement guard" and Remove-Item C:\\Casement take it away.`,
  cancelled: (left: string): string => `Cancelled: ${left}.`,
  failed: (left: string): string => `The node is not assisted: ${left}.`,
  notEnded: (left: string): string => `The assistance has not ended: ${left}.`,
} as const;

/** State in which an assistance that did not come to its end leaves the machine, as a clause. */
export const assistLeaves = {
  clean: "guard and tag were taken away again",
  guard: (why: string): string => `the tag was taken away again, and the guard may still be on the machine: ${why}`,
  tag: (why: string): string => `the tag ${TAG.managed} may still be on the instance, where it has no power: ${why}`,
  powerless: "its approval has no power any more, and guard or tag may still be there",
  /** Its execution ended, and no approval is in the ledger. */
  none: "no approval is left, so that the machine is not assisted",
  /** Its execution ended in the middle. @param isWhole everything was done but the message of it */
  lost: (node: string, isWhole: boolean): string =>
    isWhole
      ? `${node} is assisted; ${typeThis("assist", node, "--end")} ends it`
      : `guard and tag may be on its machine, where they have no power; ${typeThis("assist", node)} asks for the approval anew, ${typeThis("assist", node, "--end")} takes them away`,
} as const;
