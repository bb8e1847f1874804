import { hasPoolPolicies } from "../../commands/approvals.ts";
import { isRollout, type Start } from "../../commands/request.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { Refused } from "../../errors.ts";
import { type ChangeName, changeRefused } from "../../messages/node/change-refusal.ts";
import { quarantinedInRollout } from "../../messages/node/cordon.ts";
import type { OtherController } from "../../messages/node/other-controllers.ts";
import { changeRefusalOf } from "../../steps/cluster/change-rules.ts";
import { bootIdOf, instanceIdOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { Disruption } from "../../steps/plan/other-controllers.ts";
import { poolOf } from "../../tags.ts";
import type { Execution, Op } from "../operation/op.ts";
import { checkBreakGlass, checkOrigin, stillAllowed } from "../operation/requester.ts";
import { checkServed } from "./breaker.ts";
import { changeFactsOf } from "./change-facts.ts";
import { checkNotStopped } from "./check-not-stopped.ts";
import { findNode } from "./find-node.ts";
import { isQuarantined } from "./quarantine.ts";

/** The node that the requester named, as its operation stores it. */
export interface ChosenNode {
  readonly name: string;
  readonly uid: string;
  readonly instanceId: string;
  readonly pool: string | null;
  /** `status.nodeInfo.bootID`: a boot makes an approval invalid. */
  readonly bootId: string | null;
  readonly isCordoned: boolean;
}

/** A node that may be changed, and the facts by which it was judged. Too large to be the result of a step. */
export interface JudgedNode {
  readonly chosen: ChosenNode;
  readonly node: Node;
  /** All nodes of the cluster. */
  readonly nodes: readonly Node[];
  readonly others: readonly OtherController[];
  /** Marks of other controllers that could not be read, in words. */
  readonly unread: readonly string[];
  readonly configuration: Configuration;
}

/** Is the node one of several in a request? Then the requester may not know its state. */
const isOfMany = ({ part, request }: Start): boolean => part !== undefined || isRollout(request);

/**
 * Stores the node that was found, by which the operation is named, and its pool, by which a cancellation is judged: a refusal
 * speaks of them too. A rollout that is planned stores its pool itself.
 */
export async function storeChoice({ steps, start }: Execution, node: string, pool: string | null): Promise<void> {
  if (!start.part && isRollout(start.request)) return;
  await steps.ledger.changeOperation(start.operation, { inPool: pool, ...(start.part ? {} : { nodeName: node }) });
}

/**
 * Judges the requester by the policy of the node's pool, if the pool has its own.
 * @throws Forbidden when the requester may not use the command in this pool; UserError when `--break-glass` came
 * without the node's name
 */
export async function checkInPool(op: Execution, node: string, pool: string | null): Promise<void> {
  const rules = await op.steps.runtime.rules();
  if (hasPoolPolicies(rules)) await checkOrigin(op, rules, pool);
  await checkBreakGlass(op, node, pool);
}

/**
 * Judges the requester again after a wait for people, which may have taken hours. Where pools have policies of their own, those who
 * judge the node do. Belongs into a step.
 * @throws Forbidden when the requester may not use the command any more
 */
export async function checkAfterWait(op: Execution, pool: string | null): Promise<void> {
  const rules = await op.steps.runtime.rules();
  if (!hasPoolPolicies(rules)) await stillAllowed(op, rules, pool);
}

/** Changes that may disturb pods. A cordon disturbs no running pod, and an uncordon only undoes it. */
const DISTURBS: ReadonlySet<ChangeName> = new Set<ChangeName>(["drain", "reboot", "restart"]);

/** @throws Refused for a quarantined node among several */
async function checkQuarantine({ steps, start }: Op, { name, uid }: Pick<ChosenNode, "name" | "uid">): Promise<void> {
  if (isOfMany(start) && (await isQuarantined(steps, uid))) throw new Refused(quarantinedInRollout(name));
}

/** Disturbance of a change for the work of other controllers; like a drain, if it is not listed. */
const disruptions: Readonly<Partial<Record<ChangeName, Disruption | null>>> = {
  reboot: "reboot",
  restart: "restart",
  uncordon: null,
};

/**
 * Finds the node and judges whether it may be changed.
 * @param named the node as it was typed, or its name once it is known
 * @throws UserError when no node or several match; Refused when the node may not be changed; Forbidden when the
 * requester may not change nodes of its pool
 */
export async function judgeNode(op: Op, change: ChangeName, named: string): Promise<JudgedNode> {
  const { steps, start, settings } = op;
  const { configuration } = await steps.runtime.read(settings.runtimeVersion);
  const nodes = await steps.nodes.all();
  const node = findNode(named, nodes);
  const { name = "", uid = "" } = node.metadata ?? {};
  const instanceId = instanceIdOf(node);
  const { unread, ...facts } = await changeFactsOf(steps, { node, nodes }, configuration, start.operation);
  const { machine, others } = facts;
  const pool = poolOf(machine);
  await storeChoice(op, name, pool);
  const refusal = changeRefusalOf(facts, change in disruptions ? (disruptions[change] ?? null) : "drain");
  if (refusal || instanceId === null)
    throw new Refused(changeRefused(refusal ?? { kind: "no-instance" }, change, name));
  await checkInPool(op, name, pool);
  await checkQuarantine(op, { name, uid });
  if (DISTURBS.has(change)) {
    checkServed(node, nodes, machine, configuration);
    await checkNotStopped(steps, { node, pool });
  }
  return {
    chosen: { name, uid, instanceId, pool, bootId: bootIdOf(node), isCordoned: node.spec?.unschedulable === true },
    node,
    nodes,
    others,
    unread,
    configuration,
  };
}
