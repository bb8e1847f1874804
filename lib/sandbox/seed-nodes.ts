import { marshall } from "@aws-sdk/util-dynamodb";
import { userNameOf } from "../../lambdas/cluster/accounts.ts";
import { authoritiesIn, sha256 } from "../../lambdas/cluster/authorities.ts";
import { bootstrapperOf, tokenJoinOf } from "../../lambdas/cluster/joining.ts";
import { startingTaint } from "../../lambdas/cluster/node-keys.ts";
import type { Configuration } from "../../lambdas/configuration/configuration.ts";
import { casementFolder } from "../../lambdas/machine/machine-paths.ts";
import type { PayloadManifest } from "../../lambdas/machine/payload.ts";
import { buildOf } from "../../lambdas/machine/windows-builds.ts";
import { profileOf } from "../../lambdas/profiles/list.ts";
import { keys } from "../../lambdas/records/ledger-table.ts";
import type { MachineRecord } from "../../lambdas/records/machine-record.ts";
import { TAG } from "../../lambdas/tags.ts";
import { sleep } from "./core/clock.ts";
import { demo } from "./demo.ts";
import { linuxNodes, linuxPods, type SeedNode, windowsNodesOf, workloads } from "./demo-nodes.ts";
import type { KubeObject } from "./kubernetes/model/object.ts";
import type { Simulator } from "./simulator.ts";

/** Time that seed nodes have to join; they take about two minutes (both are the sandbox's own figures). */
const JOIN_WITHIN_MS = 15 * 60_000;
const POLL_MS = 2_000;

/** Parts that seed nodes are made from. */
export interface Seeding {
  readonly simulator: Simulator;
  readonly configuration: Configuration;
  readonly payload: PayloadManifest;
  /** Number of Windows nodes; default: the four of the demo. */
  readonly nodes?: number;
}

const seedsOf = ({ nodes = 4 }: Seeding): readonly SeedNode[] => windowsNodesOf(nodes);

/**
 * Seeds the demo cluster: Linux nodes, workloads, and Windows machines that are set up by the same plans that
 * provisioning uses. Resolves when every Windows node is Ready; time must move meanwhile.
 * @throws Error when a machine refuses a plan or does not join in time
 */
export async function seedNodes(seeding: Seeding): Promise<void> {
  const { simulator } = seeding;
  const { clock } = simulator.simulation;
  for (const node of linuxNodes) seedLinuxNode(seeding, node);
  for (const object of [...linuxPods, ...workloads]) simulator.kubernetes.create(object);
  const until = clock.now() + JOIN_WITHIN_MS;
  const seeds = seedsOf(seeding);
  const joining = Promise.all(seeds.map((node) => seedWindowsNode(seeding, node, until)));
  while (!seeds.every((node) => isReady(simulator, node)) || hasPendingRequests(simulator)) {
    if (clock.now() > until) throw new Error("The seed nodes did not become Ready in time.");
    await approveAndLabel(seeding);
    await sleep(clock, POLL_MS);
  }
  await joining;
}

const owner = { principal: "owner", require: () => undefined };

/** Records in the ledger what a seed node was given, as provisioning does. */
async function recordGiven({ simulator, configuration }: Seeding, instanceId: string): Promise<void> {
  const pem = simulator.kubernetes.kubeletClients();
  const at = new Date(simulator.simulation.clock.now()).toISOString();
  const authorities = { sha256: sha256(pem), authorities: authoritiesIn(pem, "the cluster") };
  const record: MachineRecord = {
    given: { version: 1, value: { kubeletClients: { ...authorities, owner: "seed:0", at } } },
  };
  const Item = marshall({ ...record, ...keys.machineRecord(instanceId) });
  const body = Buffer.from(JSON.stringify({ TableName: configuration.ledgerTable, Item }));
  await simulator.dynamodb.service.answer("PutItem", { method: "POST", url: "/", headers: {}, body }, owner);
}

const nodeName = (simulator: Simulator, instanceId: string): string =>
  simulator.ec2.cloud.instance(instanceId)?.privateDnsName ?? "";

const nodeOf = (simulator: Simulator, { instanceId }: SeedNode): KubeObject | undefined =>
  simulator.kubernetes.objects("nodes").find((node) => node.metadata.name === nodeName(simulator, instanceId));

interface Taintable {
  readonly spec?: { readonly taints?: readonly { readonly key: string }[] };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

function isReady(simulator: Simulator, seed: SeedNode): boolean {
  const node = nodeOf(simulator, seed) as Taintable | undefined;
  const ready = node?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  return ready && !node?.spec?.taints?.some(({ key }) => key === startingTaint.key);
}

/** Finds out whether a seed node still waits for a certificate. */
const hasPendingRequests = (simulator: Simulator): boolean =>
  simulator.kubernetes
    .objects("certificatesigningrequests", "certificates.k8s.io")
    .some((csr) => !(csr as SigningRequest).status?.certificate);

function seedLinuxNode({ simulator }: Seeding, linux: (typeof linuxNodes)[number]): void {
  simulator.ec2.seed(linux.instance);
  const facts = simulator.ec2.cloud.instance(linux.instance.instanceId);
  if (facts) simulator.kubernetes.create(linux.node(facts, simulator.simulation.clock.now()));
}

async function seedWindowsNode(seeding: Seeding, seed: SeedNode, until: number): Promise<void> {
  const { simulator, configuration, payload } = seeding;
  const { instanceId } = seed;
  const pool = configuration.pools[seed.pool];
  if (!pool) throw new Error(`The sandbox's configuration has no pool ${seed.pool}.`);
  simulator.ec2.seed({ ...seed, system: pool.windows });
  if (seed.machine) simulator.kubernetes.create(seed.machine);
  const name = nodeName(simulator, instanceId);
  const facts = {
    configuration,
    payload,
    pool,
    poolName: seed.pool,
    nodeName: name,
    nodeIp: seed.privateIp,
    build: buildOf(pool.windows),
    kubeletClients: simulator.kubernetes.kubeletClients(),
    joinSecretId: seedSecret(simulator, configuration, instanceId),
  };
  const { plans } = profileOf(configuration);
  const before = [plans.guard, plans.features, plans.payload, plans.configure, plans.start];
  const as = seed.machine ? byAnother : bySelf;
  await perform(simulator, instanceId, as(before.flatMap((plan) => plan(facts))));
  while (!nodeOf(simulator, seed)) {
    if (simulator.simulation.clock.now() > until) throw new Error(`${name} did not register.`);
    await sleep(simulator.simulation.clock, POLL_MS);
  }
  await recordGiven(seeding, instanceId);
  // A registered node no longer needs its join material: it is removed from the machine and the secret store.
  await perform(simulator, instanceId, as([...plans.network(facts), ...plans.afterJoin(facts)]));
  simulator.secrets.unseed(facts.joinSecretId);
}

type Actions = Parameters<Simulator["machines"]["seed"]>[1]["actions"];

const bySelf = (actions: Actions): Actions => actions;

/** Names of Casement's own and of what stands for them on a machine that WMCO's daemon (WICD) configures. */
const NAMES = [
  ['"Casement network"', '"windows-instance-config-daemon network"'],
  ["C:\\\\Casement\\\\network.ps1", "C:\\\\k\\\\network.ps1"],
] as const;

/** A machine of another owner is set up alike, but has nothing of Casement's own: no guard, no folder, no tasks. */
function byAnother(actions: Actions): Actions {
  const others = actions.filter((action) => {
    const text = JSON.stringify(action);
    const isGuard = text.includes("Casement guard") || text.includes("guard.ps1") || text.includes("AmazonSSMAgent");
    return !isGuard && !(action.do === "directory" && action.path === casementFolder);
  });
  const text = NAMES.reduce((renamed, [own, other]) => renamed.replaceAll(own, other), JSON.stringify(others));
  const given: Actions = JSON.parse(text);
  const sorted = given.toSorted((one, other) => Number(isScript(one)) - Number(isScript(other)));
  return [...sorted, { do: "remove-file", path: `${casementFolder}\\network.json` }];
}

/** The script's folder is made by another action. */
const isScript = (action: Actions[number]): boolean => action.do === "file" && action.path === "C:\\k\\network.ps1";

async function perform(simulator: Simulator, instanceId: string, actions: Actions): Promise<void> {
  const result = await simulator.machines.seed(instanceId, { actions });
  if (!result.ok) throw new Error(`${instanceId}: ${result.failed?.action}: ${result.failed?.error}`);
}

function seedSecret(simulator: Simulator, configuration: Configuration, instanceId: string): string {
  const name = `casement/${demo.cluster.name}/join/${instanceId}`;
  const join = tokenJoinOf(profileOf(configuration).join);
  if (!join) return name;
  const token = simulator.kubernetes.issueToken({ name: userNameOf(join.account) }, 24 * 3_600);
  const arn = `arn:aws:ec2:${demo.region}:${demo.accountId}:instance/${instanceId}`;
  simulator.secrets.seed(name, JSON.stringify({ kubeconfig: join.kubeconfig(configuration, token) }), {
    [TAG.cluster]: demo.cluster.name,
    [TAG.instanceArn]: arn,
  });
  return name;
}

/** Approves the seed nodes' certificates, labels their Nodes and removes the starting taint. */
async function approveAndLabel(seeding: Seeding): Promise<void> {
  const { simulator, configuration } = seeding;
  const seeds = seedsOf(seeding);
  const names = seeds.map(({ instanceId }) => `system:node:${nodeName(simulator, instanceId)}`);
  const profile = profileOf(configuration);
  const bootstrappers = seeds.map(({ instanceId }) => bootstrapperOf(profile.join, nodeName(simulator, instanceId)));
  const requesters = [...bootstrappers, ...names];
  for (const csr of simulator.kubernetes.objects("certificatesigningrequests", "certificates.k8s.io"))
    await approve(simulator, csr, requesters);
  for (const seed of seeds) {
    const pool = configuration.pools[seed.pool];
    const node = nodeOf(simulator, seed);
    if (pool && node) await labelAndUntaint(simulator, node, profile.labels({ poolName: seed.pool, pool }));
  }
}

interface SigningRequest extends KubeObject {
  readonly spec: { readonly username?: string };
  readonly status?: { readonly conditions?: readonly object[]; readonly certificate?: string };
}

async function approve(simulator: Simulator, object: KubeObject, requesters: readonly string[]): Promise<void> {
  const csr = object as SigningRequest;
  if (csr.status?.conditions?.length) return;
  if (!requesters.includes(csr.spec.username ?? "")) return;
  const path = `/apis/certificates.k8s.io/v1/certificatesigningrequests/${csr.metadata.name}/approval`;
  const conditions = [{ type: "Approved", status: "True", reason: "SandboxSeed", message: "seed node" }];
  await asAdministrator(simulator, "PUT", path, { ...csr, status: { ...csr.status, conditions } });
}

async function labelAndUntaint(simulator: Simulator, node: KubeObject, labels: Record<string, string>): Promise<void> {
  const taints = (node as Taintable).spec?.taints ?? [];
  const rest = taints.filter(({ key }) => key !== startingTaint.key);
  const labelled = Object.entries(labels).every(([key, value]) => node.metadata.labels?.[key] === value);
  if (labelled && rest.length === taints.length) return;
  await asAdministrator(simulator, "PATCH", `/api/v1/nodes/${node.metadata.name}`, {
    metadata: { labels },
    spec: { taints: rest },
  });
}

async function asAdministrator({ kubernetes }: Simulator, method: string, url: string, body: object): Promise<void> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const { certificate } = await kubernetes.adminCredentials();
  const request = {
    method,
    url,
    headers: { "content-type": type, accept: "application/json" },
    body: Buffer.from(JSON.stringify(body)),
  };
  const answer = await kubernetes.answer(request, { clientCertificate: certificate });
  // After a conflict with a controller, the next poll tries again.
  if (answer.status >= 400 && answer.status !== 409) throw new Error(`${method} ${url}: ${String(answer.body)}`);
}
