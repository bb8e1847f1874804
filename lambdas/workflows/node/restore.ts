import { cordonLeaves, cordonLeft } from "../../messages/node/cordon.ts";
import { causeOf } from "../engine/durable.ts";
import { giveBackCordon } from "./cordon.ts";
import { leaseOf, type NodeTask, nodeOf, once } from "./task.ts";

/** Opens the node to pods again where that is right. @returns the state that is left, also if that did not work */
export async function restoreNode(task: NodeTask): Promise<string> {
  const { steps, operation } = task;
  const { name: node, uid } = nodeOf(task);
  try {
    const outcome = await once(task, "uncordon", async () => {
      const given = await giveBackCordon(steps, uid, operation, false);
      await steps.cordons.close(uid, operation);
      return given;
    });
    const { instanceId } = leaseOf(task);
    return outcome === null ? cordonLeaves.untouched : cordonLeft(outcome, { node, instanceId });
  } catch (error) {
    return cordonLeaves.cordoned(node, causeOf(error).message);
  }
}
