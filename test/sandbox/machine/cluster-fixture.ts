import { userNameOf } from "../../../lambdas/cluster/accounts.ts";
import type { Action } from "../../../lambdas/machine/plan.ts";
import { join } from "../../../lambdas/profiles/okd/join.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import type { InstanceFacts } from "../../../lib/sandbox/core/ports.ts";
import { type Kubernetes, kubernetesApi } from "../../../lib/sandbox/kubernetes/api.ts";
import { certifiedStore } from "../kubernetes/certified-store.ts";
import { manualClock } from "../manual-clock.ts";
import {
  type Fixture,
  joinSecret,
  machineFixture,
  manualSimulation,
  minutes,
  okdFacts,
  resultOf,
  stages,
} from "./fixture.ts";

/** A fixture with the simulated cluster beside it; kubelets' requests are approved while `approving` is true. */
export interface ClusterFixture extends Fixture {
  readonly api: Kubernetes;
  approving: boolean;
  requests(): SigningRequest[];
  node(name: string): NodeObject | undefined;
}

interface SigningRequest {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly signerName: string;
    readonly username: string;
    readonly request: string;
    readonly usages: string[];
  };
  readonly status?: { readonly conditions?: { readonly type: string }[]; readonly certificate?: string };
}

export interface NodeObject {
  readonly metadata: {
    readonly name: string;
    readonly labels: Record<string, string>;
    readonly annotations: Record<string, string>;
  };
  readonly spec: { readonly taints?: { key: string; value?: string; effect: string }[]; readonly providerID?: string };
  readonly status: {
    readonly conditions: { type: string; status: string; reason: string; message: string }[];
    readonly nodeInfo: Record<string, string>;
    readonly addresses: { type: string; address: string }[];
    readonly allocatable: Record<string, string>;
  };
}

async function approve(api: Kubernetes, request: SigningRequest): Promise<void> {
  const { certificate } = await api.adminCredentials();
  const status = { conditions: [{ type: "Approved", status: "True", reason: "Test", message: "a person looked" }] };
  await api.answer(
    {
      method: "PUT",
      url: `/apis/certificates.k8s.io/v1/certificatesigningrequests/${request.metadata.name}/approval`,
      headers: { "content-type": "application/json", accept: "application/json" },
      body: Buffer.from(JSON.stringify({ ...request, status })),
    },
    { clientCertificate: certificate },
  );
}

/** Signers whose requests the bot approves; the cluster approves OVN's. */
const kubeletSigners = new Set(["kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving"]);

export async function clusterFixture(after?: ClusterFixture): Promise<ClusterFixture> {
  const clock = manualClock(after?.clock.now());
  const simulation = manualSimulation(clock, after?.simulation.store ?? (await certifiedStore(clock.now())));
  const instances = after?.instances ?? new Map<string, InstanceFacts>();
  const cloud = {
    instance: (id: string) => instances.get(id),
    instances: () => [...instances.values()],
    shutDownByGuest: () => undefined,
  };
  const options = { version: "1.34.2", region: "us-west-2", hybridNetwork: "10.132.0.0/14" };
  const api = await kubernetesApi(simulation, cloud, options);
  api.resume();
  const fixture = machineFixture({ clock, simulation, instances, kubernetes: api });
  const requests = () =>
    api.objects("certificatesigningrequests", "certificates.k8s.io") as unknown as SigningRequest[];
  const whole: ClusterFixture = {
    ...fixture,
    api,
    approving: true,
    requests,
    node: (name) => (api.objects("nodes") as unknown as NodeObject[]).find((node) => node.metadata.name === name),
  };
  const look = (): void => {
    const pending = whole.approving
      ? requests().filter(({ spec, status }) => kubeletSigners.has(spec.signerName) && !status?.conditions?.length)
      : [];
    for (const request of pending) void clock.busy(approve(api, request));
    clock.after(2_000, look);
  };
  look();
  return whole;
}

/** Makes a token as the bot does. */
export const bootstrapToken = (fixture: ClusterFixture, seconds: number): string =>
  fixture.api.issueToken({ name: userNameOf(join.account) }, seconds);

export const allActions = (
  fixture: ClusterFixture,
  facts: InstanceFacts,
): Record<"guard" | "features" | "payload" | "configure" | "start" | "network" | "afterJoin", readonly Action[]> => {
  const machine = okdFacts(facts, fixture.manifest, fixture.api.kubeletClients());
  return {
    guard: stages.guard(machine),
    features: stages.features(machine),
    payload: stages.payload(machine),
    configure: stages.configure(machine),
    start: okd.plans.start(machine),
    network: okd.plans.network(machine),
    afterJoin: okd.plans.afterJoin(machine),
  };
};

const applied = async (fixture: Fixture, id: string, actions: readonly Action[]): Promise<void> => {
  const report = await fixture.apply(id, actions);
  const result = resultOf(report);
  if (!result.ok) throw new Error(JSON.stringify(result.failed ?? report));
};

/** Reboots as the workflow does; returns the script's evidence. */
export async function rebooted(fixture: Fixture, id: string): Promise<Record<string, unknown>> {
  const { bootId } = await fixture.observe(id);
  const notAfter = Math.floor(fixture.clock.now() / 1000) + 60;
  return resultOf(await fixture.run(id, "reboot", { operation: `reboot-${fixture.clock.now()}`, notAfter, bootId }));
}

/** Does everything that provisioning does, by hand, up to running services. */
export async function configured(fixture: ClusterFixture, facts: InstanceFacts, tokenSeconds = 1_800): Promise<void> {
  fixture.start(facts);
  await fixture.online(facts.instanceId);
  const actions = allActions(fixture, facts);
  await applied(fixture, facts.instanceId, actions.guard);
  await applied(fixture, facts.instanceId, actions.features);
  await rebooted(fixture, facts.instanceId);
  await applied(fixture, facts.instanceId, actions.payload);
  fixture.secrets.set(`${facts.instanceId}/join`, joinSecret(bootstrapToken(fixture, tokenSeconds)));
  await applied(fixture, facts.instanceId, actions.configure);
  await applied(fixture, facts.instanceId, actions.start);
}

export const readyOf = (node: NodeObject | undefined) => node?.status.conditions.find(({ type }) => type === "Ready");

/** A Ready node. */
export async function joined(fixture: ClusterFixture, facts: InstanceFacts): Promise<void> {
  await configured(fixture, facts);
  await fixture.clock.until(() => fixture.node(facts.privateDnsName) !== undefined, minutes(5));
  await applied(fixture, facts.instanceId, allActions(fixture, facts).network);
  await fixture.clock.until(() => readyOf(fixture.node(facts.privateDnsName))?.status === "True", minutes(5));
}
