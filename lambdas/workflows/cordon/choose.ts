import type { Start } from "../../commands/command.ts";
import { Refused } from "../../errors.ts";
import { type Change, changeRefused } from "../../messages/node/change-refusal.ts";
import { changeRefusalOf } from "../../steps/cluster/change-rules.ts";
import { instanceIdOf } from "../../steps/cluster/node-facts.ts";
import { otherControllersOf } from "../../steps/plan/other-controllers.ts";
import type { Steps } from "../../steps/steps.ts";
import { findNode } from "../node/find-node.ts";
import type { Begun } from "../operation/lifecycle.ts";

/** The node that was meant. */
export interface ChosenNode {
  readonly name: string;
  readonly uid: string;
  readonly instanceId: string;
  readonly isCordoned: boolean;
}

/**
 * Finds the node and judges whether it may be changed.
 * @param named as typed, or the name of the node that was found by it
 * @throws UserError when it means no node, or several; Refused when it may not be changed
 */
export async function chooseNode(
  steps: Steps,
  start: Start,
  begun: Begun,
  change: Change,
  named: string,
): Promise<ChosenNode> {
  const { configuration } = await steps.runtime.read(begun.runtimeVersion);
  const node = findNode(named, await steps.nodes.all(), begun.commandWord);
  const { name = "", uid = "" } = node.metadata ?? {};
  const instanceId = instanceIdOf(node);
  const machine = instanceId ? await steps.instances.describe(instanceId) : undefined;
  const holder = instanceId ? await steps.leases.holder(instanceId) : undefined;
  const claimed = await steps.claims.all();
  const others = otherControllersOf({
    node,
    machine,
    claimed,
    machineLabels: null,
    healthChecks: [],
    associations: [],
  });
  const heldBy = holder && holder !== start.operation ? holder : null;
  const facts = { node, machine, cluster: configuration.cluster.name, claimed, others, heldBy };
  const refusal = changeRefusalOf(facts, "drain");
  if (refusal || instanceId === null)
    throw new Refused(changeRefused(refusal ?? { kind: "no-instance" }, change, name, begun.commandWord));
  return { name, uid, instanceId, isCordoned: node.spec?.unschedulable === true };
}
