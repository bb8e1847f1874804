import { checkServed } from "../../change/node/breaker.ts";
import { checkNotStopped } from "../../change/node/check-not-stopped.ts";
import { checkInPool, storeChoice } from "../../change/node/choose.ts";
import { findNode } from "../../change/node/find-node.ts";
import { tellRequester } from "../../change/operation/lifecycle.ts";
import type { Op } from "../../change/operation/op.ts";
import { breakGlassOf, dialogOf, isDryRun } from "../../commands/request.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { step } from "../../engine/durable.ts";
import { withAudit } from "../../messages/operation/audit-head.ts";
import { refusedMessage } from "../../messages/operation/final.ts";
import type { RemovalSummary } from "../../messages/remove/dialog.ts";
import { removalRefused } from "../../messages/remove/modal.ts";
import {
  type RemovalRefusal,
  removalRefusal,
  removalRefusedMessage,
  removalRefusedText,
} from "../../messages/remove/refusal.ts";
import { requesterOf } from "../../records/origin.ts";
import { bootIdOf, instanceIdOf, isReady } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { ownersOf } from "../../steps/cluster/ownership.ts";
import { removalRefusalOf } from "../../steps/cluster/removal-rules.ts";
import { isOurs, launcherOf, type Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";
import { poolOf } from "../../tags.ts";
import { movesOf, poolSizeOf, type RemovalSubject, removalApproval, slotsOf } from "./facts.ts";

/** The node that was meant, and what is known of it. */
export interface ChosenMachine {
  /** Name of the Node, or the instance id of a machine that is no node. */
  readonly name: string;
  /** Null for a machine that is no node: there is nothing to drain. */
  readonly uid: string | null;
  /** `status.nodeInfo.bootID` of the Node. */
  readonly bootId: string | null;
  /** The operation that launched the machine. */
  readonly launchedBy: string | null;
  readonly facts: RemovalSummary;
  /** Is its Node Ready? A machine that is no node is not. */
  readonly isReady: boolean;
  readonly refusal: RemovalRefusal | null;
}

/** The Node or the machine that was meant, as the cluster and EC2 know it. */
interface Target {
  /** Null for a machine that is no node. */
  readonly node: Node | null;
  /** Undefined where EC2 knows no instance behind the Node. */
  readonly machine: Machine | undefined;
  readonly instanceId: string | null;
}

/** An instance's whole id (EC2 user guide, "Resource IDs": 8 or 17 characters). */
const WHOLE = /^i-(?:[0-9a-f]{8}|[0-9a-f]{17})$/;

/**
 * Finds a machine that is no node, by its instance id or a unique beginning of it: one that failed and was kept, or that
 * was lost on its way into the cluster. A prefix only matches Casement's own machines.
 * @param typed as the requester typed it
 * @param cluster the cluster's name and infrastructure id
 * @returns undefined when it has a Node, or when no machine or several match
 */
async function findMachine(
  steps: Steps,
  typed: string,
  nodes: readonly Node[],
  cluster: { readonly name: string; readonly id: string },
): Promise<Machine | undefined> {
  if (!typed.startsWith("i-") || nodes.some((node) => instanceIdOf(node)?.startsWith(typed))) return undefined;
  if (WHOLE.test(typed)) return steps.instances.describe(typed);
  const machines = (await steps.instances.ofCluster(cluster.id)).filter((machine) => isOurs(machine, cluster.name));
  const [only, ...others] = machines.filter(({ instanceId }) => instanceId.startsWith(typed));
  return others.length === 0 ? only : undefined;
}

async function find({ steps }: Op, named: string, nodes: readonly Node[], { cluster }: Configuration): Promise<Target> {
  const machine = await findMachine(steps, named, nodes, cluster);
  if (machine) return { node: null, machine, instanceId: machine.instanceId };
  const node = findNode(named, nodes);
  const instanceId = instanceIdOf(node);
  return { node, machine: instanceId ? await steps.instances.describe(instanceId) : undefined, instanceId };
}

/** Reads the effects of a removal; pods and slots are not asked for a node that may not be removed. */
async function effectsOf(
  { steps, start: { request } }: Op,
  { node, ...known }: Omit<RemovalSubject, "node"> & { readonly node: Node | null },
  refusal: RemovalRefusal | null,
): Promise<Pick<RemovalSummary, "poolNodes" | "pods" | "outlook" | "slots" | "approval">> {
  if (!node) return { poolNodes: null, pods: [] };
  const subject = { node, ...known };
  const poolNodes = await poolSizeOf(steps, subject);
  if (refusal) return { poolNodes, pods: [] };
  const moves = await movesOf(steps, subject);
  const approval =
    breakGlassOf(request) === null ? removalApproval(await steps.runtime.rules(), known.pool, moves) : null;
  return { poolNodes, ...moves, slots: slotsOf(subject), approval };
}

/**
 * Finds the node, or the machine that is no node, and judges whether it may be removed.
 * @param named what the requester typed, or the name of the node that was found by it
 * @throws UserError when it means no node, or several; Refused when a freeze or a hold keeps it, and for a Ready node while
 * many are NotReady
 */
export async function choose(op: Op, named: string): Promise<ChosenMachine> {
  const { steps, start, settings } = op;
  const { configuration } = await steps.runtime.read(settings.runtimeVersion);
  const nodes = await steps.nodes.all();
  const { node, machine, instanceId } = await find(op, named, nodes, configuration);
  const holder = instanceId ? await steps.leases.holder(instanceId) : undefined;
  const pods = node ? await steps.nodes.pods() : [];
  const nodeName = node?.metadata?.name ?? null;
  const name = nodeName ?? instanceId ?? "";
  const pool = poolOf(machine);
  await storeChoice(op, name, pool);
  await checkNotStopped(steps, { node, pool, name });
  checkServed(node, nodes, machine, configuration);
  const refusal = removalRefusalOf({
    ...ownersOf(configuration, { nodes, claimed: await steps.claims.all() }),
    node,
    machine,
    pods,
    // The role may read this attribute of instances that Casement launched, and of no others.
    isProtected:
      machine && isOurs(machine, configuration.cluster.name)
        ? await steps.instances.isProtected(machine.instanceId)
        : false,
    heldBy: holder && holder !== start.operation ? holder : null,
  });
  return {
    name,
    uid: node?.metadata?.uid ?? null,
    bootId: bootIdOf(node),
    launchedBy: machine ? launcherOf(machine) : null,
    facts: {
      node: nodeName,
      instanceId: instanceId ?? "none",
      pool,
      ...(await effectsOf(op, { node, nodes, pool, configuration }, refusal)),
    },
    isReady: nodes.some((one) => one === node && isReady(one)),
    refusal,
  };
}

/**
 * Chooses as `choose` does, and judges the requester by the policy of the node's pool, which may have its own.
 * @throws Forbidden when the requester may not remove a node of that pool
 */
export async function chooseAllowed(op: Op, named: string): Promise<ChosenMachine> {
  const chosen = await choose(op, named);
  await checkInPool(op, chosen.name, chosen.facts.pool);
  return chosen;
}

/** Ends a removal that may not be made. @returns null then; one that was continued is refused when it is judged again */
export async function refuse(op: Op, chosen: ChosenMachine): Promise<ChosenMachine | null> {
  const { ctx, start } = op;
  if (!chosen.refusal || start.continues !== undefined) return chosen;
  const words = removalRefusal(chosen.refusal);
  await step(ctx, "refuse", () => tellRefusal(op, chosen.name, words));
  return null;
}

/** Posts the reason of a refusal in the channel and in the open dialog, or to a dry run's requester; the ledger keeps it. */
async function tellRefusal(op: Op, name: string, words: ReturnType<typeof removalRefusal>): Promise<void> {
  const { steps, start } = op;
  await steps.ledger.changeOperation(start.operation, {
    status: "refused",
    summary: words.why,
    endedAt: steps.timestamp(),
  });
  const refusal = removalRefusedMessage(name, words);
  if (isDryRun(start.request)) return tellRequester(op, refusal);
  const dialog = removalRefused(start.operation, refusal);
  // Closed by now: who asked has thought better of it.
  if (!(await steps.thread.fillDialog(dialogOf(start.operation), dialog))) return;
  const said = refusedMessage({ ...start, nodeName: name }, removalRefusedText(name, words));
  const operation = await steps.ledger.operation(start.operation);
  const channel = operation?.channel ?? requesterOf(start)?.channel;
  if (channel) await steps.thread.post(channel, withAudit(said, operation?.audit), `${start.operation} end`);
}
