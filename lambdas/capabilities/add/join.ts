import { addNotes } from "../../change/node/notes.ts";
import { apply, once, record, waitFor } from "../../change/node/task.ts";
import { auditNode } from "../../change/operation/audit.ts";
import { bootstrapperOf } from "../../cluster/joining.ts";
import { CLIENT_SIGNER, SERVING_SIGNER } from "../../cluster/signers.ts";
import { done, type Poll, pending, StageFailed, until } from "../../engine/durable.ts";
import { log } from "../../logging.ts";
import { identityReason } from "../../messages/node/identity.ts";
import { signingRequestNotice } from "../../messages/operation/escalations.ts";
import { signingRequest } from "../../messages/provision/signing-requests.ts";
import type { AwaitedAnnotation } from "../../profiles/profile.ts";
import { credentialOf, type ExpectedRequest, type KnownNames } from "../../steps/cluster/csr-rules.ts";
import type { ApprovalResult } from "../../steps/cluster/csrs.ts";
import { identitiesOf, identityFaultOf } from "../../steps/cluster/identity.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { planOf, replaceToken } from "./configure.ts";
import { unclaimed } from "./launch.ts";
import { machineOf, nodeNameOf, type ProvisionTask } from "./task.ts";

/** Facts from EC2 and the cluster that the machine's certificate requests must match. */
async function expected(task: ProvisionTask): Promise<ExpectedRequest & { readonly nodeSince: string | null }> {
  const { instanceId, privateDnsName, launchedAt } = machineOf(task);
  const nodeName = nodeNameOf(task);
  const nodes = await task.steps.nodes.all();
  const node = nodes.find(({ metadata }) => metadata?.name === nodeName);
  // A public address may be assigned after the launch, so EC2 is asked again.
  const machine = (await task.steps.instances.describe(instanceId)) ?? machineOf(task);
  const fault = identityFaultOf(machine, identitiesOf(task.runtime.configuration, { nodes }));
  return {
    nodeName,
    bootstrapper: bootstrapperOf(task.profile.join, nodeName),
    credentials: task.tokens.map(({ id }) => credentialOf(id)),
    addresses: [machine.privateIp, ...(machine.publicIp ? [machine.publicIp] : [])],
    names: [privateDnsName, ...(machine.publicDnsName ? [machine.publicDnsName] : [])],
    launchedAt,
    nodeExists: node !== undefined,
    identityFault: fault && identityReason(fault, (name) => name),
    nodeSince: node?.metadata?.creationTimestamp?.toISOString() ?? null,
  };
}

/** Denials after which the stage fails: so many of the machine's own requests are denied by a rule, not by mistake. */
const DENIALS = 3;

/**
 * Approves the one request of a signer that matches. Requests that nearly match or look suspicious stay pending and are
 * reported to people, as are decisions of other approvers.
 * @throws StageFailed when the machine's requests are denied again and again, or another machine has its name
 */
async function approveOnce(task: ProvisionTask, signer: string): Promise<Poll<"approved">> {
  const wanted = await expected(task);
  const found = await task.steps.csrs.approveFor(signer, wanted, machineOf(task).instanceId);
  const suspicious = await task.steps.csrs.suspicious(wanted, () => knownNames(task));
  const left = [...found.mismatches, ...suspicious].map(({ name, why }) => signingRequest.leftPending(name, why));
  const wrong = found.approvedWrongly.map(({ name, why, by }) =>
    signingRequest.approvedWrongly(name, why, by, wanted.nodeName),
  );
  const denied = found.denied.map(({ name, by }) => signingRequest.denied(name, by));
  const again = signingRequest.askedAgain(wanted.nodeName);
  await reportFindings(task, [...wrong, ...denied.slice(0, 1).map((one) => `${one}; ${again}`)], left);
  if (found.approved) return approved(task, found.approved);
  const [wrongly] = found.approvedWrongly;
  if (signer === CLIENT_SIGNER && wanted.nodeExists) {
    if (wrongly) throw new StageFailed("name-taken", signingRequest.takenOver(wrongly.name, wanted.nodeName));
    if (isSinceLaunch(wanted)) return registered(task, wanted.nodeName);
  }
  if (denied.length >= DENIALS)
    throw new StageFailed(
      "certificate-request-denied",
      `${denied.slice(-1)}, as were ${denied.length} requests in total`,
    );
  const awaited = `the kubelet's certificate request (${signer.split("/")[1]})`;
  // Report the likeliest reason why the expected request is missing, with the wait and with the failure.
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

/**
 * Limit of reports on pending requests: whoever can create requests can create many, and they must not displace reports
 * of wrong decisions.
 */
const MOST_LEFT_PENDING = 10;

/**
 * Reports findings in the thread and by SNS, each once, because a person must judge them. If reporting fails, the wait
 * goes on.
 * @param decided sentences on decisions of other approvers
 * @param left sentences on requests that were left pending
 */
async function reportFindings(task: ProvisionTask, decided: readonly string[], left: readonly string[]): Promise<void> {
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

/** Waits until the request is approved or the token expires. @param since start of the waits for all tokens together */
const clientRequest = (task: ProvisionTask, since: number): Promise<"approved" | "token ended"> => {
  const name = `the client certificate is approved ${task.tokens.length}`;
  return until(task.ctx, name, { ...task.wait, since }, async () => {
    const polled = await approveOnce(task, CLIENT_SIGNER);
    const endsAt = Date.parse(task.tokens.at(-1)?.expiresAt ?? "");
    // At the stage's deadline, report the missing request, not an expired token that would not be replaced.
    const isDue = task.steps.now() >= endsAt && task.steps.now() < task.wait.until;
    return "pendingReason" in polled && isDue ? done("token ended") : polled;
  });
};

/** Waits until the Node object exists. From here on Events report to kubectl what Slack shows. */
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

/**
 * Approves the serving certificate, which nothing else does; without it `kubectl logs` and `exec` fail. A kubelet whose
 * Node was deleted does not register it again while it waits for the certificate.
 */
export const servingCertificate = (task: ProvisionTask): Promise<unknown> =>
  waitFor(task, "the serving certificate is approved", async () => {
    await currentNode(task);
    return approveOnce(task, SERVING_SIGNER);
  });

/** Reads the Node. @throws StageFailed if it was deleted meanwhile, because waiting would not bring it back */
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

/** Waits until the cluster has assigned the Node its network, then starts the profile's network services on it. */
export async function networkReady(task: ProvisionTask): Promise<void> {
  const { network } = task.profile;
  await annotated(task, network.before);
  await apply(task, "start the network", planOf(task, "network"));
  await annotated(task, network.after);
}

/** Waits until the kubelet reports that it is Ready. */
export const nodeReady = (task: ProvisionTask): Promise<true> =>
  waitFor(task, "the Node is Ready", async () => {
    const node = await currentNode(task);
    const ready = node.status?.conditions?.find((condition) => condition.type === "Ready");
    return ready?.status === "True"
      ? done(true)
      : pending(`the kubelet to be Ready: ${ready?.message ?? "no status reported yet"}`);
  });
