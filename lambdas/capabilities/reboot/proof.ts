import { once } from "../../change/node/task.ts";
import { proveDataPlane } from "./data-plane.ts";
import { checkSameNode, proveMachine } from "./prove.ts";
import { soak } from "./soak.ts";
import type { RebootTask } from "./task.ts";
import { proveWitness } from "./witness.ts";

/**
 * Proves a node: its checks, then its data plane, then the soak time of its pool. At the end the same Node must still
 * exist. After a restart of services, a pod that was started before is tried first.
 * @throws StageFailed with the first thing that is wrong; DeadlineExceeded; MachineEnded
 */
export async function proof(task: RebootTask): Promise<void> {
  await proveMachine(task);
  await proveWitness(task);
  await proveDataPlane(task);
  await soak(task);
  await once(task, "the Node is still there", () => checkSameNode(task, false));
}
