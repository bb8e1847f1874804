import { apply, once, waitFor } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import { sha256 } from "../../cluster/authorities.ts";
import { BUILD_LABEL, KUBELET_CLIENTS, startingTaint } from "../../cluster/node-keys.ts";
import { done, pending } from "../../engine/durable.ts";
import { buildOf } from "../../machine/windows-builds.ts";
import { missingOn, type WantedNode } from "../../steps/cluster/wanted-node.ts";
import { planOf } from "./configure.ts";
import { currentNode } from "./join.ts";
import { machineOf, type ProvisionTask } from "./task.ts";

const labelsOf = ({ profile, start, pool }: ProvisionTask): Readonly<Record<string, string>> =>
  profile.labels({ poolName: start.pool, pool });

/** Labels, taint and instance that the Node must show, by the pool and EC2. */
const wanted = (task: ProvisionTask): WantedNode => ({
  labels: { ...labelsOf(task), [BUILD_LABEL]: buildOf(task.pool.windows) },
  taint: task.pool.taint,
  instanceId: machineOf(task).instanceId,
});

/** Sets the pool's labels, then waits until labels, taint, build and provider id match the pool and EC2. */
export async function verify(task: ProvisionTask): Promise<void> {
  await once(task, "label the Node", async () => {
    await task.steps.nodes.label(await currentNode(task), labelsOf(task));
  });
  await once(task, "annotate the Node", async () => {
    const annotations = { [KUBELET_CLIENTS]: sha256(task.kubeletClients) };
    await task.steps.nodes.annotate(await currentNode(task), annotations);
  });
  await waitFor(task, "the Node is as it must be", async () => {
    const rest = missingOn(await currentNode(task), wanted(task));
    const words = rest.map(({ why }) => why).join(", ");
    return rest.length === 0 ? done(true) : pending(words, { code: rest.find(({ code }) => code)?.code });
  });
}

/** Last stage: deletes the join material from disk and secret store, then lets pods be scheduled. */
export async function admit(task: ProvisionTask): Promise<void> {
  const { instanceId } = machineOf(task);
  await once(task, "delete the join secret", () => task.steps.joinSecret.remove(instanceId));
  await apply(task, "remove the join material", planOf(task, "afterJoin"));
  await once(task, "take off the start-up taint", async () => {
    await task.steps.nodes.untaint(await currentNode(task), startingTaint.key);
    await auditNode(task, "admit", { what: "changed", detail: { change: "remove the start-up taint" } });
  });
  await once(task, "announce it", async () => {
    if (task.node)
      await task.steps.nodes.announce(
        task.node,
        "Normal",
        "CasementProvisioned",
        `ready for pods after ${task.start.operation}`,
      );
  });
}
