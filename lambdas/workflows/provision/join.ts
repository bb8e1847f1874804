import { networkOperations } from "../../desired/okd.ts";
import { CLIENT_SIGNER, type Expected, SERVING_SIGNER } from "../../steps/csr-rules.ts";
import { BOOTSTRAPPER } from "../../steps/join-secret.ts";
import type { Node } from "../../steps/nodes.ts";
import { found, type Look, StageFailed, still } from "../durably.ts";
import { apply, type Job, machineOf, once, record, waitFor } from "./job.ts";

/** What the machine's certificate requests must say, by EC2's and the cluster's word. */
async function expected(job: Job): Promise<Expected> {
  const { privateDnsName, privateIp } = machineOf(job);
  const node = await job.steps.nodes.read(privateDnsName);
  return {
    nodeName: privateDnsName,
    bootstrapper: BOOTSTRAPPER,
    addresses: [privateIp],
    names: [privateDnsName],
    nodeExists: node !== undefined,
  };
}

/** Approves the one right request of a signer; what is nearly right is left pending and noted for people. */
async function approveOnce(job: Job, signer: string): Promise<Look<true>> {
  const look = await job.steps.csrs.approveFor(signer, await expected(job), machineOf(job).instanceId);
  if (look.nearMisses.length > 0)
    await note(
      job,
      look.nearMisses.map(({ name, why }) => `${name} was left pending: ${why}`),
    );
  return look.approved ? found(true) : still(`the kubelet's certificate request (${signer.split("/")[1]})`);
}

async function note(job: Job, notes: readonly string[]): Promise<void> {
  const known = (await job.steps.ledger.node(job.start.operation, job.start.index))?.notes ?? [];
  const fresh = notes.filter((one) => !known.includes(one));
  if (fresh.length > 0) await record(job, { notes: [...known, ...fresh].slice(0, 20) });
}

/** The kubelet asks for its identity with the bootstrap token; nobody else may have a claim on the machine. */
export async function clientCertificate(job: Job): Promise<void> {
  const machine = machineOf(job);
  const claimed = await once(job, "nobody else claims the machine", () => job.steps.nodes.claimed());
  const claim = [machine.instanceId, machine.privateIp, machine.privateDnsName].find((one) => claimed.includes(one));
  if (claim)
    throw new StageFailed(
      `${claim} is claimed by a Machine or by WMCO's windows-instances: its certificates are theirs to approve`,
    );
  await waitFor(job, "the client certificate is approved", () => approveOnce(job, CLIENT_SIGNER));
}

/** The Node object appears; from here on Events tell people with kubectl what people in Slack see. */
export async function nodeRegistered(job: Job): Promise<void> {
  const { privateDnsName } = machineOf(job);
  job.node = await waitFor(job, "the Node exists", async () => {
    const node = await job.steps.nodes.read(privateDnsName);
    return node
      ? found({ name: privateDnsName, uid: node.metadata?.uid ?? "" })
      : still(`the kubelet to register ${privateDnsName}`);
  });
  await once(job, "registered", async () => {
    await record(job, { nodeName: privateDnsName });
    await job.steps.places.giveBack(job.owner);
  });
}

/** Without it `kubectl logs` and `exec` fail; nothing else approves it. */
export const servingCertificate = (job: Job): Promise<true> =>
  waitFor(job, "the serving certificate is approved", () => approveOnce(job, SERVING_SIGNER));

/** The Node as it is now; a Node that was deleted meanwhile is a failure, not something to wait for. */
export async function currentNode(job: Job): Promise<Node> {
  const node = await job.steps.nodes.read(machineOf(job).privateDnsName);
  if (!node) throw new StageFailed("the Node was deleted while it was being set up");
  if (node.metadata?.uid !== job.node?.uid)
    throw new StageFailed("the Node was deleted and made again by somebody else");
  return node;
}

const SUBNET = "k8s.ovn.org/hybrid-overlay-node-subnet";
const GATEWAY = "k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac";

const annotated = (job: Job, name: string, annotation: string, by: string): Promise<true> =>
  waitFor(job, name, async () => {
    const node = await currentNode(job);
    return node.metadata?.annotations?.[annotation] ? found(true) : still(by);
  });

/** The network operator gives a subnet, the hybrid overlay makes the networks, kube-proxy starts on them. */
export async function networkReady(job: Job): Promise<void> {
  await annotated(job, "the Node has a subnet", SUBNET, "the network operator to give the Node a subnet");
  await apply(job, "start the network", networkOperations());
  await annotated(job, "the overlay has announced itself", GATEWAY, "the hybrid overlay to announce its gateway");
}

/** The kubelet's own word on its health. */
export const nodeReady = (job: Job): Promise<true> =>
  waitFor(job, "the Node is Ready", async () => {
    const node = await currentNode(job);
    const ready = node.status?.conditions?.find((condition) => condition.type === "Ready");
    return ready?.status === "True"
      ? found(true)
      : still(`the kubelet to be Ready: ${ready?.message ?? "it has not reported yet"}`);
  });
