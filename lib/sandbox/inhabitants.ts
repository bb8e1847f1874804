import { marshall } from "@aws-sdk/util-dynamodb";
import type { Configuration } from "../../lambdas/configuration.ts";
import { authoritiesIn } from "../../lambdas/desired/authorities.ts";
import { JOIN_USER } from "../../lambdas/desired/cluster-access.ts";
import { givenItem } from "../../lambdas/desired/given.ts";
import {
  afterJoinOperations,
  bootstrapKubeconfig,
  configureOperations,
  featureOperations,
  guardOperations,
  networkOperations,
  payloadOperations,
  startOperations,
} from "../../lambdas/desired/okd.ts";
import { nodeLabels } from "../../lambdas/desired/okd-labels.ts";
import type { PayloadManifest } from "../../lambdas/desired/okd-payload.ts";
import { buildOf } from "../../lambdas/desired/windows-builds.ts";
import { sleep } from "./core/clock.ts";
import type { Ground } from "./ground.ts";
import type { KubeObject } from "./kubernetes/model/object.ts";
import { town } from "./town.ts";
import { linuxNodes, linuxPods, type Resident, residents, workloads } from "./town-residents.ts";

/** Time that the residents have to join; they take about two minutes (both are the sandbox's own figures). */
const JOIN_WITHIN_MS = 15 * 60_000;
const LOOK_EVERY_MS = 2_000;

/** Parts that residents are made from. */
export interface Household {
  readonly ground: Ground;
  readonly configuration: Configuration;
  readonly payload: PayloadManifest;
}

/**
 * Lets the town be lived in: Linux nodes, workloads, and Windows machines that were set up long ago by the same plans
 * that provisioning uses. Resolves when every Windows node is Ready; time must move meanwhile.
 * @throws Error when a machine refuses a plan or does not join in time
 */
export async function inhabit(house: Household): Promise<void> {
  const { ground } = house;
  const { clock } = ground.foundation;
  for (const node of linuxNodes) seedLinux(house, node);
  for (const object of [...linuxPods, ...workloads]) ground.kubernetes.create(object);
  const until = clock.now() + JOIN_WITHIN_MS;
  const moving = Promise.all(residents.map((resident) => moveIn(house, resident, until)));
  while (!residents.every((resident) => isHome(ground, resident)) || awaited(ground)) {
    if (clock.now() > until) throw new Error("The sandbox's own Windows nodes did not become Ready.");
    await welcome(house);
    await sleep(clock, LOOK_EVERY_MS);
  }
  await moving;
}

const owner = { principal: "owner", require: () => undefined };

/** The ledger knows what each machine was given, also those that joined long ago. */
async function remember({ ground, configuration }: Household, instanceId: string): Promise<void> {
  const pem = ground.kubernetes.kubeletClients();
  const at = new Date(ground.foundation.clock.now()).toISOString();
  const item = givenItem(instanceId, "residents:0", at, { pem, authorities: authoritiesIn(pem, "the cluster") });
  const body = Buffer.from(JSON.stringify({ TableName: configuration.ledgerTable, Item: marshall(item) }));
  await ground.dynamodb.service.answer("PutItem", { method: "POST", url: "/", headers: {}, body }, owner);
}

const nodeName = (ground: Ground, instanceId: string): string =>
  ground.ec2.cloud.instance(instanceId)?.privateDnsName ?? "";

const nodeOf = (ground: Ground, { instanceId }: Resident): KubeObject | undefined =>
  ground.kubernetes.objects("nodes").find((node) => node.metadata.name === nodeName(ground, instanceId));

interface Taintable {
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function isHome(ground: Ground, resident: Resident): boolean {
  const node = nodeOf(ground, resident) as Taintable | undefined;
  const ready = node?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  return ready && !node?.spec?.taints?.some(({ key }) => key === "casement.dev/starting");
}

/** Certificates that residents still wait for. */
const awaited = (ground: Ground): boolean =>
  ground.kubernetes
    .objects("certificatesigningrequests", "certificates.k8s.io")
    .some((csr) => !(csr as SigningRequest).status?.certificate);

function seedLinux({ ground }: Household, linux: (typeof linuxNodes)[number]): void {
  ground.ec2.seed(linux.instance);
  const facts = ground.ec2.cloud.instance(linux.instance.instanceId);
  if (facts) ground.kubernetes.create(linux.node(facts, ground.foundation.clock.now()));
}

async function moveIn(house: Household, resident: Resident, until: number): Promise<void> {
  const { ground, configuration, payload } = house;
  const { instanceId } = resident;
  const pool = configuration.pools[resident.pool];
  if (!pool) throw new Error(`The sandbox's configuration has no pool ${resident.pool}.`);
  ground.ec2.seed({ ...resident, system: pool.windows });
  if (resident.machine) ground.kubernetes.create(resident.machine);
  const name = nodeName(ground, instanceId);
  const facts = {
    configuration,
    payload,
    pool,
    poolName: resident.pool,
    nodeName: name,
    nodeIp: resident.privateIp,
    build: buildOf(pool.windows),
    kubeletClients: ground.kubernetes.kubeletClients(),
    joinSecretId: seedSecret(ground, configuration, instanceId),
  };
  const before = [
    ...guardOperations(facts),
    ...featureOperations(),
    ...payloadOperations(facts),
    ...configureOperations(facts),
  ];
  await perform(ground, instanceId, [...before, ...startOperations(facts)]);
  while (!nodeOf(ground, resident)) {
    if (ground.foundation.clock.now() > until) throw new Error(`${name} did not register.`);
    await sleep(ground.foundation.clock, LOOK_EVERY_MS);
  }
  await remember(house, instanceId);
  // Registered, it needs its join material no longer: one that joined long ago has none, nor has the secret store.
  await perform(ground, instanceId, [...networkOperations(), ...afterJoinOperations()]);
  ground.secrets.unseed(facts.joinSecretId);
}

async function perform(
  ground: Ground,
  instanceId: string,
  operations: Parameters<Ground["machines"]["seed"]>[1]["operations"],
): Promise<void> {
  const result = await ground.machines.seed(instanceId, { operations });
  if (!result.ok) throw new Error(`${instanceId}: ${result.failed?.operation}: ${result.failed?.error}`);
}

function seedSecret(ground: Ground, configuration: Configuration, instanceId: string): string {
  const name = `casement/${town.cluster.name}/join/${instanceId}`;
  const token = ground.kubernetes.issueToken({ name: JOIN_USER }, 24 * 3_600);
  const arn = `arn:aws:ec2:${town.region}:${town.accountId}:instance/${instanceId}`;
  ground.secrets.seed(name, JSON.stringify({ kubeconfig: bootstrapKubeconfig(configuration, token) }), {
    "casement:cluster": town.cluster.name,
    "casement:instance-arn": arn,
  });
  return name;
}

/** Does what operators did by hand earlier: approves the residents' certificates, labels their Nodes, lets pods in. */
async function welcome({ ground, configuration }: Household): Promise<void> {
  const names = residents.map(({ instanceId }) => `system:node:${nodeName(ground, instanceId)}`);
  for (const csr of ground.kubernetes.objects("certificatesigningrequests", "certificates.k8s.io"))
    await approve(ground, csr, names);
  for (const resident of residents) {
    const pool = configuration.pools[resident.pool];
    const node = nodeOf(ground, resident);
    if (pool && node) await settleNode(ground, node, nodeLabels({ poolName: resident.pool, pool }));
  }
}

interface SigningRequest extends KubeObject {
  readonly spec: { readonly username?: string };
  readonly status?: { readonly conditions?: readonly object[]; readonly certificate?: string };
}

async function approve(ground: Ground, object: KubeObject, names: readonly string[]): Promise<void> {
  const csr = object as SigningRequest;
  if (csr.status?.conditions?.length) return;
  if (csr.spec.username !== JOIN_USER && !names.includes(csr.spec.username ?? "")) return;
  const path = `/apis/certificates.k8s.io/v1/certificatesigningrequests/${csr.metadata.name}/approval`;
  const conditions = [{ type: "Approved", status: "True", reason: "SandboxResident", message: "lived here before" }];
  await asAdministrator(ground, "PUT", path, { ...csr, status: { ...csr.status, conditions } });
}

async function settleNode(ground: Ground, node: KubeObject, labels: Record<string, string>): Promise<void> {
  const taints = (node as Taintable).spec?.taints ?? [];
  const rest = taints.filter(({ key }) => key !== "casement.dev/starting");
  const labelled = Object.entries(labels).every(([key, value]) => node.metadata.labels?.[key] === value);
  if (labelled && rest.length === taints.length) return;
  await asAdministrator(ground, "PATCH", `/api/v1/nodes/${node.metadata.name}`, {
    metadata: { labels },
    spec: { taints: rest },
  });
}

async function asAdministrator({ kubernetes }: Ground, method: string, url: string, body: object): Promise<void> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const { certificate } = await kubernetes.adminCredentials();
  const request = {
    method,
    url,
    headers: { "content-type": type, accept: "application/json" },
    body: Buffer.from(JSON.stringify(body)),
  };
  const answer = await kubernetes.answer(request, { clientCertificate: certificate });
  // A conflict only means that a controller was faster: the next look tries again.
  if (answer.status >= 400 && answer.status !== 409) throw new Error(`${method} ${url}: ${String(answer.body)}`);
}
