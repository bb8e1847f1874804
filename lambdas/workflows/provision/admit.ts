import { sha256 } from "../../desired/authorities.ts";
import { buildOf } from "../../desired/windows-builds.ts";
import { startingTaint } from "../../profiles/okd/kubelet.ts";
import { nodeLabels } from "../../profiles/okd/labels.ts";
import { afterJoinActions } from "../../profiles/okd/plans.ts";
import { BUILD_LABEL } from "../../steps/cluster/node-facts.ts";
import { missingOn, type WantedNode } from "../../steps/cluster/wanted-node.ts";
import { done, pending } from "../engine/durable.ts";
import { apply, type Job, machineOf, once, waitFor } from "./job.ts";
import { currentNode } from "./join.ts";

/** The Node as the pool and EC2 say it must be. */
const wanted = (job: Job): WantedNode => ({
  labels: { ...nodeLabels({ poolName: job.start.pool, pool: job.pool }), [BUILD_LABEL]: buildOf(job.pool.windows) },
  taint: job.pool.taint,
  instanceId: machineOf(job).instanceId,
});

/** Hex sha256 of the file of authorities that the kubelet was given; the ledger's record is what counts. */
const KUBELET_CLIENTS = "casement.dev/kubelet-clients";

/** Labels, taint, build and provider id are what the pool and EC2 say. */
export async function verify(job: Job): Promise<void> {
  await once(job, "label the Node", async () => {
    await job.steps.nodes.label(await currentNode(job), nodeLabels({ poolName: job.start.pool, pool: job.pool }));
  });
  await once(job, "annotate the Node", async () => {
    const annotations = { [KUBELET_CLIENTS]: sha256(job.kubeletClients) };
    await job.steps.nodes.annotate(await currentNode(job), annotations);
  });
  await waitFor(job, "the Node is as it must be", async () => {
    const rest = missingOn(await currentNode(job), wanted(job));
    return rest.length === 0 ? done(true) : pending(rest.join(", "));
  });
}

/** The last act: join material leaves disk and secret store, then pods may come. */
export async function admit(job: Job): Promise<void> {
  const { instanceId } = machineOf(job);
  await once(job, "delete the join secret", () => job.steps.joinSecret.remove(instanceId));
  await apply(job, "remove the join material", afterJoinActions());
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
