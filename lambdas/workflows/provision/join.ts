import { JOIN_USER } from "../../desired/cluster-access.ts";
import { networkOperations } from "../../desired/okd.ts";
import { signingRequestNotice } from "../../messages/notices.ts";
import { claimedByOthers } from "../../messages/removal-refusal.ts";
import { claimOn } from "../../steps/claims.ts";
import { CLIENT_SIGNER, type Expected, type KnownNames, SERVING_SIGNER } from "../../steps/csr-rules.ts";
import type { Node } from "../../steps/nodes.ts";
import { found, type Look, StageFailed, still } from "../durably.ts";
import { apply, type Job, machineOf, once, record, waitFor } from "./job.ts";

/** What the machine's certificate requests must say, by EC2's and the cluster's word. */
async function expected(job: Job): Promise<Expected> {
  const { privateDnsName, privateIp, launchedAt } = machineOf(job);
  const node = await job.steps.nodes.read(privateDnsName);
  return {
    nodeName: privateDnsName,
    bootstrapper: JOIN_USER,
    addresses: [privateIp],
    names: [privateDnsName],
    launchedAt,
    nodeExists: node !== undefined,
  };
}

/** Approves the one right request of a signer; what is nearly right, or strange, is left pending and noted for people. */
async function approveOnce(job: Job, signer: string): Promise<Look<true>> {
  const wanted = await expected(job);
  const look = await job.steps.csrs.approveFor(signer, wanted, machineOf(job).instanceId);
  const strangers = await job.steps.csrs.strangers(wanted, () => knownNames(job));
  const notes = [...look.nearMisses, ...strangers].map(({ name, why }) => `${name} was left pending: ${why}`);
  if (notes.length > 0) await note(job, notes);
  const awaited = `the kubelet's certificate request (${signer.split("/")[1]})`;
  // The likeliest reason why the right one does not come, so it is told with the wait, and with the failure.
  return look.approved ? found(true) : still([awaited, ...notes.slice(0, 1)].join("; "));
}

async function knownNames({ steps, runtime }: Job): Promise<KnownNames> {
  const instances = await steps.instances.ofCluster(runtime.configuration.cluster.id);
  const nodes = await steps.nodes.all();
  return {
    instances: instances.map(({ privateDnsName }) => privateDnsName),
    nodes: nodes.map(({ metadata }) => metadata?.name ?? ""),
  };
}

/** Says in the thread what one operation's nodes have not said yet: a stranger's request is seen by all of them. */
async function note(job: Job, notes: readonly string[]): Promise<void> {
  const nodes = await job.steps.ledger.nodes(job.start.operation);
  const known = nodes.find(({ index }) => index === job.start.index)?.notes ?? [];
  const fresh = notes.filter((one) => !nodes.some((node) => node.notes.includes(one)));
  if (fresh.length === 0) return;
  await record(job, { notes: [...known, ...fresh].slice(0, 20) });
  // What a person must judge is said past Slack too; the wait goes on whether or not that can be said.
  await job.steps.notices.send(signingRequestNotice(job.start.operation, fresh)).catch(() => undefined);
}

/** The kubelet asks for its identity with the bootstrap token; nobody else may have a claim on the machine. */
export async function clientCertificate(job: Job): Promise<void> {
  const machine = machineOf(job);
  const claimed = await once(job, "nobody else claims the machine", () => job.steps.claims.all());
  const claim = claimOn(machine, claimed);
  if (claim) throw new StageFailed(claimedByOthers(claim.machine, claim.kind, claim.owner));
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
