import { type ChosenNode, storeChoice } from "../../change/node/choose.ts";
import { findNode } from "../../change/node/find-node.ts";
import type { Execution, Op } from "../../change/operation/op.ts";
import { checkOrigin } from "../../change/operation/requester.ts";
import { hasPoolPolicies } from "../../commands/approvals.ts";
import type { Request } from "../../commands/request.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { Refused, UserError } from "../../errors.ts";
import { type Assistance, assistanceOf, type OtherOwner } from "../../machine/assistance.ts";
import {
  type AssistPlan,
  type AssistRefusal,
  assistanceBusy,
  assistanceOfAnother,
  assistRefused,
  notAssisted,
} from "../../messages/node/assist.ts";
import { identitiesOf, identityFaultOf } from "../../steps/cluster/identity.ts";
import { bootIdOf, instanceIdOf, isControlPlane, isWindows } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { ownerOf } from "../../steps/cluster/ownership.ts";
import { isOurs, type Machine } from "../../steps/ec2/instances.ts";
import { isInGroup, otherControllersOf } from "../../steps/plan/other-controllers.ts";
import type { Steps } from "../../steps/steps.ts";
import { clusterTag, TAG } from "../../tags.ts";

/** `/win assist`, with and without `--end`. */
export type AssistRequest = Extract<Request, { command: "assist" }>;

/** A machine that may be assisted, and the plan that the card shows. */
export interface JudgedAssist {
  readonly chosen: ChosenNode;
  readonly machine: Machine;
  readonly owner: OtherOwner;
  readonly plan: AssistPlan;
}

/** A machine whose assistance may end. */
export interface JudgedEnd {
  readonly chosen: ChosenNode;
  readonly record: Assistance | null;
}

/** The requested node, and the operation that holds its machine. */
interface RequestedNode {
  readonly node: Node;
  /** Every Node of the cluster. */
  readonly nodes: readonly Node[];
  readonly name: string;
  readonly instanceId: string | null;
  readonly heldBy: string | null;
  readonly configuration: Configuration;
}

async function requested(op: Op, typed: string): Promise<RequestedNode> {
  const { steps, start, settings } = op;
  const { configuration } = await steps.runtime.read(settings.runtimeVersion);
  const nodes = await steps.nodes.all();
  const node = findNode(typed, nodes);
  const name = node.metadata?.name ?? "";
  await storeChoice(op, name, null);
  const instanceId = instanceIdOf(node);
  const holder = instanceId ? await steps.leases.holder(instanceId) : undefined;
  const heldBy = holder && holder !== start.operation ? holder : null;
  return { node, nodes, name, instanceId, heldBy, configuration };
}

/**
 * Judges the requester by the cluster's policy, because machines of other owners are in no pool.
 * @throws Forbidden when the requester may not use the command
 */
async function checkRequester(op: Execution): Promise<void> {
  const rules = await op.steps.runtime.rules();
  if (hasPoolPolicies(rules)) await checkOrigin(op, rules, null);
}

const chosenOf = (node: Node, instanceId: string): ChosenNode => ({
  name: node.metadata?.name ?? "",
  uid: node.metadata?.uid ?? "",
  instanceId,
  pool: null,
  bootId: bootIdOf(node),
  isCordoned: node.spec?.unschedulable === true,
});

/**
 * Does the Node or its machine belong to the control plane? Installers mark such instances by tags: kOps, Cluster API, and OKD, whose tag
 * Name ends with the role (openshift/installer, pkg/asset/machines/aws).
 */
const servesControlPlane = (node: Node, { tags }: Pick<Machine, "tags">): boolean =>
  isControlPlane(node) ||
  ["kubernetes.io/role/master", "k8s.io/role/master", "k8s.io/role/control-plane"].some((key) => key in tags) ||
  tags["sigs.k8s.io/cluster-api-provider-aws/role"] === "control-plane" ||
  /-(master|bootstrap)(-[0-9]+)?$/.test(tags.Name ?? "");

/** Finds the machine's own reason against an assistance; null if there is none. */
function refusalOf(
  { node, instanceId, heldBy, configuration: { cluster } }: RequestedNode,
  machine: Machine | undefined,
  owner: OtherOwner | null,
): AssistRefusal | null {
  // A kubelet writes its Node's labels; EC2's platform comes from the image.
  if (!isWindows(node) || machine?.isWindows === false) return { kind: "linux" };
  if (!machine || instanceId === null) return { kind: "no-instance" };
  if (servesControlPlane(node, machine)) return { kind: "control-plane" };
  if (!owner) return { kind: isOurs(machine, cluster.name) ? "launched-by-us" : "no-owner" };
  if (TAG.launched in machine.tags) return { kind: "launched-and-owned", owner };
  if (!["owned", "shared"].includes(machine.tags[clusterTag(cluster.id)] ?? ""))
    return { kind: "not-of-cluster", instanceId, clusterId: cluster.id };
  return heldBy === null ? null : { kind: "busy", operation: heldBy };
}

/** Finds the agent's reason against an assistance; null if commands reach the machine. */
async function agentRefusal(steps: Steps, { instanceId, hasProfile }: Machine): Promise<AssistRefusal | null> {
  const { registered, online } = await steps.health.agent(instanceId);
  if (registered) return online ? null : { kind: "agent-silent" };
  return hasProfile === true ? { kind: "no-agent", instanceId } : { kind: "no-profile", instanceId };
}

/**
 * Finds the node and judges whether its machine may be assisted. Call inside a step.
 * @param named the node as typed, or the name found by it
 * @throws UserError when the name matches no node, or several; Refused when the node may not be assisted; Forbidden
 */
export async function judgeAssist(op: Op, named: string): Promise<JudgedAssist> {
  const { steps, start } = op;
  const of = await requested(op, named);
  const refused = (refusal: AssistRefusal): Refused => new Refused(assistRefused(refusal, of.name));
  const machine = of.instanceId ? await steps.instances.describe(of.instanceId) : undefined;
  const claimed = await steps.claims.all();
  const owner = machine ? ownerOf(machine, claimed) : null;
  const refusal = refusalOf(of, machine, owner);
  if (refusal || !machine || !owner) throw refused(refusal ?? { kind: "no-instance" });
  const records = await steps.machines.assistance.all();
  const fault = identityFaultOf(machine, identitiesOf(of.configuration, { nodes: of.nodes }));
  if (fault) throw refused({ kind: "identity", fault });
  const before = assistanceOf(machine, of.configuration.cluster.name, owner, records);
  const record = records.find(({ instanceId }) => instanceId === machine.instanceId);
  if (before === "assisted") throw refused({ kind: "assisted", operation: record?.operation ?? "" });
  const silent = await agentRefusal(steps, machine);
  if (silent) throw refused(silent);
  await checkRequester(op);
  const { unread, ...left } = await steps.traces.of(machine.instanceId, isInGroup(machine));
  const marks = await steps.machines.seen.marks(machine.instanceId, of.node.metadata?.uid ?? "");
  const others = otherControllersOf({ node: of.node, machine, claimed, marks, ...left, now: steps.now() });
  const chosen = chosenOf(of.node, machine.instanceId);
  const own = record?.operation === start.operation ? "none" : before;
  const { instanceId, privateDnsName: machineName } = machine;
  const plan = { node: of.name, instanceId, machineName, owner, others, unread, before: own } as const;
  return { chosen, machine, owner, plan };
}

/**
 * Finds the node and judges whether its assistance may end. Call inside a step.
 * @throws UserError when the name matches no node, several, or one that is not assisted; Refused while an operation
 * holds it; Forbidden
 */
export async function judgeEnd(op: Op, named: string): Promise<JudgedEnd> {
  const { steps } = op;
  const { node, nodes, name, instanceId, heldBy, configuration } = await requested(op, named);
  const machine = instanceId ? await steps.instances.describe(instanceId) : undefined;
  const record = instanceId ? ((await steps.machines.assistance.of(instanceId)) ?? null) : null;
  const isTagged = machine?.tags[TAG.managed] === configuration.cluster.name;
  if (instanceId === null || (!record && !isTagged)) throw new UserError(notAssisted(name));
  const assisted = record ? [record] : [];
  const fault = machine && identityFaultOf(machine, identitiesOf(configuration, { nodes, assisted }));
  // A record of an earlier release has no name, and its end needs none.
  if (fault && (fault.kind === "several-nodes" || record?.node !== undefined))
    throw new Refused(assistanceOfAnother(name, fault));
  if (heldBy !== null) throw new Refused(assistanceBusy(name, heldBy));
  await checkRequester(op);
  return { chosen: chosenOf(node, instanceId), record };
}
