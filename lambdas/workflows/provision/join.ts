import { JOIN_USER } from "../../desired/cluster-access.ts";
import { signingRequestNotice } from "../../messages/operation/notices.ts";
import { signingRequest } from "../../messages/provision/signing-requests.ts";
import { networkActions } from "../../profiles/okd/plans.ts";
import {
  CLIENT_SIGNER,
  credentialOf,
  type Expected,
  type KnownNames,
  SERVING_SIGNER,
} from "../../steps/cluster/csr-rules.ts";
import type { CsrLook } from "../../steps/cluster/csrs.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { done, type Poll, pending, StageFailed } from "../engine/durable.ts";
import { replaceToken } from "./configure.ts";
import { apply, type Job, machineOf, once, record, remark, waitFor } from "./job.ts";
import { unclaimed } from "./launch.ts";

/** Facts that the machine's certificate requests must match, by EC2's and the cluster's word. */
async function expected(job: Job): Promise<Expected & { readonly nodeSince: string | null }> {
  const { instanceId, privateDnsName, launchedAt } = machineOf(job);
  const node = await job.steps.nodes.read(privateDnsName);
  // Public addresses come with the subnet, or later: EC2's present word counts.
  const machine = (await job.steps.instances.describe(instanceId)) ?? machineOf(job);
  return {
    nodeName: privateDnsName,
    bootstrapper: JOIN_USER,
    credentials: job.tokens.map(({ id }) => credentialOf(id)),
    addresses: [machine.privateIp, ...(machine.publicIp ? [machine.publicIp] : [])],
    names: [privateDnsName, ...(machine.publicDnsName ? [machine.publicDnsName] : [])],
    launchedAt,
    nodeExists: node !== undefined,
    nodeSince: node?.metadata?.creationTimestamp?.toISOString() ?? null,
  };
}

/** As many denials of the machine's own requests are no slip of somebody's, but a rule. */
const DENIALS = 3;

/**
 * Approves the one right request of a signer. What is nearly right, or strange, is left pending and noted for people, and
 * so is what somebody else decided.
 * @throws StageFailed when the machine's requests are denied again and again, or somebody else has its place
 */
async function approveOnce(job: Job, signer: string): Promise<Poll<"approved">> {
  const wanted = await expected(job);
  const look = await job.steps.csrs.approveFor(signer, wanted, machineOf(job).instanceId);
  const strangers = await job.steps.csrs.strangers(wanted, () => knownNames(job));
  const left = [...look.nearMisses, ...strangers].map(({ name, why }) => signingRequest.leftPending(name, why));
  const wrong = look.approvedWrongly.map(({ name, why, by }) =>
    signingRequest.approvedWrongly(name, why, by, wanted.nodeName),
  );
  const denied = look.denied.map(({ name, by }) => signingRequest.denied(name, by));
  const again = signingRequest.askedAgain(wanted.nodeName);
  await callAbout(job, [...wrong, ...denied.slice(0, 1).map((one) => `${one}; ${again}`)], left);
  if (look.approved) return approved(job, look.approved);
  const [wrongly] = look.approvedWrongly;
  if (signer === CLIENT_SIGNER && wanted.nodeExists) {
    if (wrongly) throw new StageFailed(signingRequest.takenOver(wrongly.name, wanted.nodeName));
    if (isSinceLaunch(wanted)) return registered(job, wanted.nodeName);
  }
  if (denied.length >= DENIALS)
    throw new StageFailed(`${denied.slice(-1)}, as ${denied.length} requests so far; ${again}`);
  const awaited = `the kubelet's certificate request (${signer.split("/")[1]})`;
  // The likeliest reason why the right one does not come, so it is told with the wait, and with the failure.
  return pending([awaited, ...[...denied, ...wrong, ...left].slice(0, 1)].join("; "));
}

const isSinceLaunch = ({ nodeSince, launchedAt }: { nodeSince: string | null; launchedAt: string }): boolean =>
  nodeSince !== null && Date.parse(nodeSince) >= Date.parse(launchedAt);

async function approved(job: Job, { name, by }: NonNullable<CsrLook["approved"]>): Promise<Poll<"approved">> {
  if (by) await remark(job, [signingRequest.approvedByOthers(name, by)]);
  return done("approved");
}

async function registered(job: Job, node: string): Promise<Poll<"approved">> {
  await remark(job, [signingRequest.registeredAnyhow(node)]);
  return done("approved");
}

async function knownNames({ steps, runtime }: Job): Promise<KnownNames> {
  const instances = await steps.instances.ofCluster(runtime.configuration.cluster.id);
  const nodes = await steps.nodes.all();
  return {
    instances: instances.map(({ privateDnsName }) => privateDnsName),
    nodes: nodes.map(({ metadata }) => metadata?.name ?? ""),
  };
}

/** Whoever can make requests can make many of them: they must not take the room of what was decided wrongly. */
const MOST_LEFT_PENDING = 10;

/**
 * Says it in the thread, once, and past Slack too: a person must judge it. The wait goes on whether or not that can be said.
 * @param decided what others decided
 * @param left what was left pending
 */
async function callAbout(job: Job, decided: readonly string[], left: readonly string[]): Promise<void> {
  const fresh = [...(await remark(job, decided)), ...(await remark(job, left, MOST_LEFT_PENDING))];
  if (fresh.length > 0)
    await job.steps.notices.send(signingRequestNotice(job.start.operation, fresh)).catch(() => undefined);
}

/**
 * The kubelet asks for its identity with the join token; nobody else may have a claim on the machine. A token that ended
 * before the kubelet asked with it is replaced, as long as the stage has time.
 */
export async function clientCertificate(job: Job): Promise<void> {
  const machine = machineOf(job);
  await unclaimed(job, machine, "nobody else claims the machine");
  while ((await clientRequest(job)) === "token ended") await replaceToken(job);
}

const clientRequest = (job: Job): Promise<"approved" | "token ended"> =>
  waitFor(job, `the client certificate is approved ${job.tokens.length}`, async () => {
    const look = await approveOnce(job, CLIENT_SIGNER);
    const endsAt = Date.parse(job.tokens.at(-1)?.expiresAt ?? "");
    // A stage that is out of time names what it waited for, not a token that nobody would use any more.
    const isDue = job.steps.now() >= endsAt && job.steps.now() < job.bounds.until;
    return "pendingReason" in look && isDue ? done("token ended") : look;
  });

/** The Node object appears; from here on Events tell people with kubectl what people in Slack see. */
export async function nodeRegistered(job: Job): Promise<void> {
  const { privateDnsName } = machineOf(job);
  job.node = await waitFor(job, "the Node exists", async () => {
    const node = await job.steps.nodes.read(privateDnsName);
    return node
      ? done({ name: privateDnsName, uid: node.metadata?.uid ?? "" })
      : pending(`the kubelet to register ${privateDnsName}`);
  });
  await once(job, "registered", async () => {
    await record(job, { nodeName: privateDnsName });
    await job.steps.places.giveBack(job.owner);
  });
}

/** Without it `kubectl logs` and `exec` fail; nothing else approves it. */
export const servingCertificate = (job: Job): Promise<unknown> =>
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
    return node.metadata?.annotations?.[annotation] ? done(true) : pending(by);
  });

/** The network operator gives a subnet, the hybrid overlay makes the networks, kube-proxy starts on them. */
export async function networkReady(job: Job): Promise<void> {
  await annotated(job, "the Node has a subnet", SUBNET, "the network operator to give the Node a subnet");
  await apply(job, "start the network", networkActions());
  await annotated(job, "the overlay has announced itself", GATEWAY, "the hybrid overlay to announce its gateway");
}

/** The kubelet's own word on its health. */
export const nodeReady = (job: Job): Promise<true> =>
  waitFor(job, "the Node is Ready", async () => {
    const node = await currentNode(job);
    const ready = node.status?.conditions?.find((condition) => condition.type === "Ready");
    return ready?.status === "True"
      ? done(true)
      : pending(`the kubelet to be Ready: ${ready?.message ?? "it has not reported yet"}`);
  });
