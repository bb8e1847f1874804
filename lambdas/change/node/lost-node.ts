import { startingTaint } from "../../cluster/node-keys.ts";
import { assistLeaves } from "../../messages/node/assist.ts";
import { cordonLeaves, cordonLeft, type LeftCordonOutcome } from "../../messages/node/cordon.ts";
import { givenBack } from "../../messages/operation/lost.ts";
import { machineLeaves } from "../../messages/provision/machine-outcome.ts";
import type { FailureReason } from "../../records/failures.ts";
import { workOwner } from "../../records/node-work.ts";
import type { NodeRecord } from "../../records/records.ts";
import type { StageName } from "../../stages.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { hasEnded, type Machine } from "../../steps/ec2/instances.ts";
import type { OpenCordon } from "../../steps/ledger/cordons.ts";
import type { Steps } from "../../steps/steps.ts";
import { giveBackCordon } from "./cordon.ts";

/** State of a lost node, read before it is closed. */
export interface LostNode {
  /** Undefined when EC2 does not know the instance any more. */
  readonly machine: Machine | undefined;
  /** Outcome for its cordon or start-up taint; null when it had none. */
  readonly cordon: LeftCordonOutcome | null;
}

const isGone = (found: LostNode | null): boolean => found !== null && (!found.machine || hasEnded(found.machine));

function leftBy({ instanceId, nodeName }: NodeRecord, found: LostNode | null): string {
  if (!instanceId) return machineLeaves.nothingLaunched;
  const machine = isGone(found)
    ? machineLeaves.ended(instanceId, found?.machine?.state ?? "terminated")
    : machineLeaves.untouched(instanceId);
  if (!found?.cordon) return machine;
  const node = nodeName ?? "";
  const { cordon } = found;
  const left = cordon === "unproven" ? cordonLeaves.unproven(node) : cordonLeft(cordon, { node, instanceId });
  return `${machine}; ${left}`;
}

/** Describes in a clause how a lost node is left. For an assistance the approval decides, since it changes no Node. */
async function stateLeft(steps: Steps, node: NodeRecord, found: LostNode | null): Promise<string> {
  const { workflow, instanceId, nodeName } = node;
  if (workflow !== "assisting" || !instanceId || !nodeName) return leftBy(node, found);
  const approval = await steps.machines.assistance.of(instanceId);
  return approval ? assistLeaves.lost(nodeName, approval.state === "assisted") : assistLeaves.none;
}

/** Stages of provisioning between the join secret's creation and its deletion. */
const MAY_HAVE_SECRET: ReadonlySet<string> = new Set([
  "configure",
  "client-csr",
  "node",
  "serving-csr",
  "network",
  "ready",
  "verify",
  "probe",
  "admit",
]);

/**
 * Was the execution setting up a machine? Only then does it leave one behind that nobody uses. Records of the last
 * release have no workflow; those of the kubelets' authority are the ones without a stage.
 */
export const isBeingSetUp = ({ workflow, stage }: NodeRecord): boolean =>
  workflow === "provision" || (workflow === undefined && stage !== null);

/**
 * Ends a node whose own execution was lost: releases what it held and writes the state that is left.
 * @param why the reason why its execution was lost
 * @param found the state of its machine and Node; null if this function has no permission to read them
 * @returns descriptions of everything that was released
 */
export async function closeLostNode(
  steps: Steps,
  node: NodeRecord,
  why: FailureReason,
  found: LostNode | null,
): Promise<readonly string[]> {
  const { operation, index, instanceId, stage } = node;
  const owner = workOwner(node);
  // Secrets Manager does not report whether the secret existed (API Reference, DeleteSecret:
  // ForceDeleteWithoutRecovery).
  if (instanceId) await steps.joinSecret.remove(instanceId);
  const mayHaveSecret = instanceId !== null && MAY_HAVE_SECRET.has(stage ?? "");
  const held = [
    ...((await steps.joinSlots.giveBack(owner)) ? [givenBack.place] : []),
    ...((await steps.slots.release(owner)) ? [givenBack.slot] : []),
    ...(mayHaveSecret ? [givenBack.joinSecret] : []),
    ...(instanceId && (await steps.leases.releaseOwned(instanceId, owner)) ? [givenBack.lease(instanceId)] : []),
  ];
  const left = await stateLeft(steps, node, found);
  const isLeft = isBeingSetUp(node) && instanceId !== null && !isGone(found);
  await steps.ledger.changeNode(operation, index, {
    status: "failed",
    failure: { stage: stage ?? "launch", ...why, left },
    waitsFor: null,
    endedAt: steps.timestamp(),
    ...(isLeft ? { keptAt: steps.timestamp() } : {}),
    outcome: left,
    callbacks: {},
  });
  return held;
}

/**
 * Records that the Node of a lost machine carries its start-up taint. The sweep removes the taint, because this
 * function may not change Nodes.
 * @returns the record; undefined without such a Node, or without the taint
 */
export async function ownStartUpTaint(steps: Steps, record: NodeRecord): Promise<OpenCordon | undefined> {
  const { operation, index, instanceId } = record;
  if (!instanceId) return undefined;
  const node = await nodeOf(steps, instanceId, record.nodeName);
  const { name, uid } = node?.metadata ?? {};
  const taints = (node?.spec?.taints ?? [])
    .filter(({ key }) => key === startingTaint.key)
    .map(({ key, value = "", effect }) => ({ key, value, effect }));
  if (!name || !uid || taints.length === 0) return undefined;
  const open = await steps.cordons.find(uid);
  if (open) return open;
  const adds = { taints, annotations: {}, labels: {} };
  const wasUnschedulable = node?.spec?.unschedulable === true;
  return steps.cordons.own({ node: name, uid, instanceId, operation, index, wasUnschedulable, adds });
}

/** Finds the Node of an instance; a Node that registered after its execution had died is found by its provider id. */
async function nodeOf(steps: Steps, instanceId: string, name: string | null): Promise<Node | undefined> {
  const nodes = name ? [await steps.nodes.read(name)] : await steps.nodes.all();
  return nodes.find((node) => node && instanceIdOf(node) === instanceId);
}

/** Stages in which the machine or its services may have been restarted, and nothing has proven yet that it works. */
const UNPROVEN: ReadonlySet<StageName | null> = new Set<StageName>(["reboot", "restart", "prove"]);

/** Did the work on the node end between the order to its machine and the proof of that? */
const isUnproven = ({ workflow, stage }: NodeRecord): boolean => workflow !== "proving" && UNPROVEN.has(stage);

/** Finds out what became of a lost node's machine, and gives its Node back. */
export async function giveBackLostNode(steps: Steps, node: NodeRecord): Promise<LostNode> {
  const { instanceId } = node;
  if (!instanceId) return { machine: undefined, cordon: null };
  const machine = await steps.instances.describe(instanceId);
  const record = (await recordOf(steps, node)) ?? (await ownStartUpTaint(steps, node));
  if (!record) return { machine, cordon: null };
  const cordon = await decideCordon(steps, record, node, machine);
  if (cordon === "unproven") await keepUnproven(steps, record);
  return { machine, cordon };
}

/**
 * Gives a Node back that an execution left, unless it is still cordoned for a reboot that was not proven: that one waits for a
 * proof. @returns "unproven" where the caller has to keep the cordon
 */
export async function decideCordon(
  steps: Steps,
  record: OpenCordon,
  work: NodeRecord | undefined,
  machine: Machine | undefined,
): Promise<LeftCordonOutcome | null> {
  const isEnding = !machine || hasEnded(machine);
  // A proof has decided about a kept cordon that is given back.
  const awaitsProof = !isEnding && record.keptAt === undefined && work !== undefined && isUnproven(work);
  if (awaitsProof && (await isStillCordoned(steps, record))) return "unproven";
  return giveBackCordon(steps, record.uid, record.operation, isEnding);
}

async function isStillCordoned(steps: Steps, { node: name, uid }: OpenCordon): Promise<boolean> {
  const node = await steps.nodes.read(name);
  return node?.metadata?.uid === uid && node.spec?.unschedulable === true;
}

/** Leaves the cordon to a later proof. Which boot must be over is not known any more: any boot that works is proven. */
export const keepUnproven = (steps: Steps, { uid, operation }: OpenCordon) =>
  steps.cordons.keep(uid, operation, { before: null });

const recordOf = async (steps: Steps, { operation, index }: NodeRecord): Promise<OpenCordon | undefined> =>
  (await steps.cordons.open()).find((one) => one.operation === operation && one.index === index);
