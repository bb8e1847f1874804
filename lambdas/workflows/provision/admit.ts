import { afterJoinOperations } from "../../desired/okd.ts";
import { startingTaint } from "../../desired/okd-kubelet.ts";
import { nodeLabels } from "../../desired/okd-labels.ts";
import { buildOf } from "../../desired/windows-builds.ts";
import { BUILD_LABEL, instanceIdOf } from "../../steps/node-facts.ts";
import type { Node } from "../../steps/nodes.ts";
import { found, still } from "../durably.ts";
import { apply, type Job, machineOf, once, waitFor } from "./job.ts";
import { currentNode } from "./join.ts";

const UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized";

const hasTaint = (node: Node, wanted: { key: string; value?: string; effect: string }): boolean =>
  (node.spec?.taints ?? []).some(
    (taint) =>
      taint.key === wanted.key && (taint.value ?? "") === (wanted.value ?? "") && taint.effect === wanted.effect,
  );

/** What is not as it must be on the Node, in words; pods may be sent there once nothing is left. */
function missing(job: Job, node: Node): string[] {
  const { instanceId } = machineOf(job);
  const labels = {
    ...nodeLabels({ poolName: job.start.pool, pool: job.pool }),
    [BUILD_LABEL]: buildOf(job.pool.windows),
  };
  const wrong = Object.entries(labels).filter(([key, value]) => node.metadata?.labels?.[key] !== value);
  const { taint } = job.pool;
  return [
    ...wrong.map(([key, value]) => `the label ${key}=${value}`),
    ...(hasTaint(node, taint) ? [] : [`the taint ${taint.key}=${taint.value}:${taint.effect}`]),
    ...(instanceIdOf(node) === instanceId
      ? []
      : [`the provider id of ${instanceId} (it is ${node.spec?.providerID ?? "empty"})`]),
    ...((node.spec?.taints ?? []).some(({ key }) => key === UNINITIALIZED)
      ? ["the cloud provider to initialise it"]
      : []),
  ];
}

/** Labels, taint, build and provider id are what the pool and EC2 say. */
export async function verify(job: Job): Promise<void> {
  await once(job, "label the Node", async () => {
    await job.steps.nodes.label(await currentNode(job), nodeLabels({ poolName: job.start.pool, pool: job.pool }));
  });
  await waitFor(job, "the Node is as it must be", async () => {
    const rest = missing(job, await currentNode(job));
    return rest.length === 0 ? found(true) : still(rest.join(", "));
  });
}

/** The last act: join material leaves disk and secret store, then pods may come. */
export async function admit(job: Job): Promise<void> {
  const { instanceId } = machineOf(job);
  await once(job, "delete the join secret", () => job.steps.joinSecret.remove(instanceId));
  await apply(job, "remove the join material", afterJoinOperations());
  await once(job, "take off the start-up taint", async () => {
    await job.steps.nodes.untaint(await currentNode(job), startingTaint.key);
  });
  await once(job, "announce it", async () => {
    if (job.node)
      await job.steps.nodes.announce(
        job.node,
        "Normal",
        "CasementProvisioned",
        `ready for pods after ${job.start.operation}`,
      );
  });
}
