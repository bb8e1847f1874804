import { addNotes } from "../../change/node/notes.ts";
import { apply, once, record, waitFor } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import { bootstrapperOf } from "../../cluster/joining.ts";
import { CLIENT_SIGNER, SERVING_SIGNER } from "../../cluster/signers.ts";
import { done, type Poll, pending, StageFailed, until } from "../../engine/durable.ts";
import { log } from "../../logging.ts";
import { signingRequestNotice } from "../../messages/operation/escalations.ts";
import { signingRequest } from "../../messages/provision/signing-requests.ts";
import type { AwaitedAnnotation } from "../../profiles/profile.ts";
import { credentialOf, type ExpectedRequest, type KnownNames } from "../../steps/cluster/csr-rules.ts";
import type { ApprovalResult } from "../../steps/cluster/csrs.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { planOf, replaceToken } from "./configure.ts";
import { unclaimed } from "./launch.ts";
import { machineOf, nodeNameOf, type ProvisionTask } from "./task.ts";

/** Facts that the machine's certificate requests must match, by EC2's and the cluster's word. */
async function expected(task: ProvisionTask): Promise<ExpectedRequest & { readonly nodeSince: string | null }> {
  const { instanceId, privateDnsName, launchedAt } = machineOf(task);
  const nodeName = nodeNameOf(task);
  const node = await task.steps.nodes.read(nodeName);
  // Public addresses come with the subnet, or later: EC2's present word counts.
  const machine = (await task.steps.instances.describe(instanceId)) ?? machineOf(task);
  return {
    nodeName,
    bootstrapper: bootstrapperOf(task.profile.join, nodeName),
    credentials: task.tokens.map(({ id }) => credentialOf(id)),
    addresses: [machine.privateIp, ...(machine.publicIp ? [machine.publicIp] : [])],
    names: [privateDnsName, ...(machine.publicDnsName ? [machine.publicDnsName] : [])],
    launchedAt,
    nodeExists: node !== undefined,
    nodeSince: node?.metadata?.creationTimestamp?.toISOString() ?? null,
  };
}

/** This many denials of the machine's own requests are no mistake but a rule. */
const DENIALS = 3;

/**
 * Approves the one right request of a signer. Requests that are nearly right or suspicious are left pending and reported to
 * people; decisions of other approvers are reported too.
 * @throws StageFailed when the machine's requests are denied again and again, or another machine has its name
 */
async function approveOnce(task: ProvisionTask, signer: string): Promise<Poll<"approved">> {
  const wanted = await expected(task);
  const look = await task.steps.csrs.approveFor(signer, wanted, machineOf(task).instanceId);
  const suspicious = await task.steps.csrs.suspicious(wanted, () => knownNames(task));
  const left = [...look.mismatches, ...suspicious].map(({ name, why }) => signingRequest.leftPending(name, why));
  const wrong = look.approvedWrongly.map(({ name, why, by }) =>
    signingRequest.approvedWrongly(name, why, by, wanted.nodeName),
  );
  const denied = look.denied.map(({ name, by }) => signingRequest.denied(name, by));
  const again = signingRequest.askedAgain(wanted.nodeName);
  await callAbout(task, [...wrong, ...denied.slice(0, 1).map((one) => `${one}; ${again}`)], left);
  if (look.approved) return approved(task, look.approved);
  const [wrongly] = look.approvedWrongly;
  if (signer === CLIENT_SIGNER && wanted.nodeExists) {
    if (wrongly) throw new StageFailed("name-taken", signingRequest.takenOver(wrongly.name, wanted.nodeName));
    if (isSinceLaunch(wanted)) return registered(task, wanted.nodeName);
  }
  if (denied.length >= DENIALS)
    throw new StageFailed(
      "certificate-request-denied",
      `${denied.slice(-1)}, as were ${denied.length} requests in total; ${again}`,
    );
  const awaited = `the kubelet's certificate request (${signer.split("/")[1]})`;
  // The likeliest reason why the right one does not come, so it is told with the wait, and with the failure.
  const code = denied.length > 0 ? "certificate-request-denied" : undefined;
  return pending([awaited, ...[...denied, ...wrong, ...left].slice(0, 1)].join("; "), { code });
}

const isSinceLaunch = ({ nodeSince, launchedAt }: { nodeSince: string | null; launchedAt: string }): boolean =>
  nodeSince !== null && Date.parse(nodeSince) >= Date.parse(launchedAt);

const logRequest = (outcome: "approved" | "left", why: string): void =>
  log("INFO", "decision", { decision: "certificate request", outcome, why });

async function approved(
  task: ProvisionTask,
  { name, by }: NonNullable<ApprovalResult["approved"]>,
): Promise<Poll<"approved">> {
  logRequest("approved", by ? `${name} by ${by}` : name);
  const change = by ? "others approved the certificate request" : "approve the certificate request";
  await auditNode(task, `certificate request ${name}`, { what: "changed", detail: { change, request: name } });
  if (by) await addNotes(task, [signingRequest.approvedByOthers(name, by)]);
  return done("approved");
}

async function registered(task: ProvisionTask, node: string): Promise<Poll<"approved">> {
  await addNotes(task, [signingRequest.registeredAnyhow(node)]);
  return done("approved");
}

async function knownNames({ steps, runtime, profile }: ProvisionTask): Promise<KnownNames> {
  const instances = await steps.instances.ofCluster(runtime.configuration.cluster.id);
  const nodes = await steps.nodes.all();
  return {
    instances: instances.map((instance) => profile.nodeName(instance)),
    nodes: nodes.map(({ metadata }) => metadata?.name ?? ""),
  };
}

/** An actor that can make requests can make many of them: they must not displace the report of wrong decisions. */
const MOST_LEFT_PENDING = 10;

/**
 * Says it in the thread, once, and past Slack too: a person must judge it. The wait goes on whether or not that can be said.
 * @param decided what others decided
 * @param left what was left pending
 */
async function callAbout(task: ProvisionTask, decided: readonly string[], left: readonly string[]): Promise<void> {
  const fresh = [...(await addNotes(task, decided)), ...(await addNotes(task, left, MOST_LEFT_PENDING))];
  for (const why of fresh) logRequest("left", why);
  if (fresh.length > 0)
    await task.steps.notices.send(signingRequestNotice(task.start.operation, fresh)).catch(() => undefined);
}

/**
 * The kubelet requests its identity with the join token; no other controller may claim the machine. A token that expired
 * before the kubelet used it is replaced, as long as the stage has time.
 */
export async function clientCertificate(task: ProvisionTask): Promise<void> {
  const machine = machineOf(task);
  await unclaimed(task, machine, "no other controller claims the machine");
  const since = await once(task, "begin to wait for the request", async () => task.steps.now());
  while ((await clientRequest(task, since)) === "token ended") await replaceToken(task);
}

/** Waits for the request until it is approved or the token ends. @param since begin of the waits for all tokens together */
const clientRequest = (task: ProvisionTask, since: number): Promise<"approved" | "token ended"> => {
  const name = `the client certificate is approved ${task.tokens.length}`;
  return until(task.ctx, name, { ...task.wait, since }, async () => {
    const look = await approveOnce(task, CLIENT_SIGNER);
    const endsAt = Date.parse(task.tokens.at(-1)?.expiresAt ?? "");
    // A stage that is out of time names what it waited for, not a token that would not be used any more.
    const isDue = task.steps.now() >= endsAt && task.steps.now() < task.wait.until;
    return "pendingReason" in look && isDue ? done("token ended") : look;
  });
};

/** The Node object appears; from here on Events tell people with kubectl what people in Slack see. */
export async function nodeRegistered(task: ProvisionTask): Promise<void> {
  const name = nodeNameOf(task);
  task.node = await waitFor(task, "the Node exists", async () => {
    const node = await task.steps.nodes.read(name);
    return node ? done({ name, uid: node.metadata?.uid ?? "" }) : pending(`the kubelet to register ${name}`);
  });
  await once(task, "registered", async () => {
    await record(task, { nodeName: name });
    await task.steps.joinSlots.giveBack(task.owner);
  });
}

/** Without it `kubectl logs` and `exec` fail; nothing else approves it. */
export const servingCertificate = (task: ProvisionTask): Promise<unknown> =>
  waitFor(task, "the serving certificate is approved", () => approveOnce(task, SERVING_SIGNER));

/** The Node as it is now; a Node that was deleted meanwhile is a failure, not something to wait for. */
export async function currentNode(task: ProvisionTask): Promise<Node> {
  const node = await task.steps.nodes.read(nodeNameOf(task));
  if (!node) throw new StageFailed("node-deleted", "the Node was deleted during setup");
  if (node.metadata?.uid !== task.node?.uid)
    throw new StageFailed("node-deleted", "the Node was deleted and recreated outside Casement");
  return node;
}

async function annotated(task: ProvisionTask, awaited: readonly AwaitedAnnotation[]): Promise<void> {
  for (const { name, annotation, waitsFor, code } of awaited) {
    await waitFor(task, name, async () => {
      const node = await currentNode(task);
      return node.metadata?.annotations?.[annotation] ? done(true) : pending(waitsFor, { code });
    });
  }
}

/** The cluster gives the Node its part of the network, then the profile's services start on it. */
export async function networkReady(task: ProvisionTask): Promise<void> {
  const { network } = task.profile;
  await annotated(task, network.before);
  await apply(task, "start the network", planOf(task, "network"));
  await annotated(task, network.after);
}

/** The kubelet's own word on its health. */
export const nodeReady = (task: ProvisionTask): Promise<true> =>
  waitFor(task, "the Node is Ready", async () => {
    const node = await currentNode(task);
    const ready = node.status?.conditions?.find((condition) => condition.type === "Ready");
    return ready?.status === "True"
      ? done(true)
      : pending(`the kubelet to be Ready: ${ready?.message ?? "no status reported yet"}`);
  });
