import { inject } from "vitest";
import { activity } from "../../../lib/sandbox/core/activity.ts";
import type { Clock } from "../../../lib/sandbox/core/clock.ts";
import { pacedClock } from "../../../lib/sandbox/core/paced-clock.ts";
import type { Cloud, InstanceFacts } from "../../../lib/sandbox/core/ports.ts";
import { createSimulation, type Simulation } from "../../../lib/sandbox/core/simulation.ts";
import { openStore, type Store } from "../../../lib/sandbox/core/store.ts";
import type { WireResponse } from "../../../lib/sandbox/core/wire.ts";
import { type Kubernetes, kubernetesApi } from "../../../lib/sandbox/kubernetes/api.ts";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { skipCase } from "../../cluster/case.ts";
import type { Ask } from "./asking.ts";
import { certifiedStore } from "./certified-store.ts";
import { testImages } from "./probe-images.ts";
import { type ServedCluster, servedCluster } from "./served.ts";

export type { Ask } from "./asking.ts";

/** A cluster under test, with control of its clock and its cloud. */
export interface Cluster {
  readonly api: Kubernetes;
  readonly simulation: Simulation;
  readonly instances: Map<string, InstanceFacts>;
  /** Sends requests with a token for this user, by default only in the groups that every such user has. */
  as(name: string, groups?: string[]): Ask;
  readonly admin: Ask;
}

/**
 * A cluster whose time moves only on demand. In the lane against a real server (test/cluster) it is that server: it has
 * no clock to move and no simulator to inspect, and a case that does either is skipped.
 */
export interface StillCluster extends Cluster {
  pass(seconds: number): Promise<void>;
  /** Lists stored objects of a type, on either server. */
  objects(plural: string, group?: string): Promise<KubeObject[]>;
  /** Lets controllers work until the condition holds: the sandbox's time passes, a real server gets some seconds. */
  until(question: () => boolean | Promise<boolean>, what: string): Promise<void>;
  stop(): void | Promise<void>;
}

const options = {
  version: "1.34.2",
  region: "us-west-2",
  hybridNetwork: "10.132.0.0/14",
  probeImages: testImages,
};

const cloudOf = (instances: Map<string, InstanceFacts>): Cloud => ({
  instance: (id) => instances.get(id),
  instances: () => [...instances.values()],
  shutDownByGuest: () => undefined,
});

/** Reads the whole body of a response as text; not for an endless one. */
async function textIn({ body }: WireResponse): Promise<string> {
  if (typeof body === "string" || body instanceof Uint8Array) return Buffer.from(body).toString("utf8");
  let text = "";
  for await (const piece of body) text += piece;
  return text;
}

const asking =
  (api: Kubernetes, token: string): Ask =>
  async (line, body, headers = {}) => {
    const [method = "GET", url = "/"] = line.split(" ");
    const bytes =
      body === undefined ? new Uint8Array() : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
    const response = await api.answer({
      method,
      url,
      headers: { authorization: `Bearer ${token}`, ...headers },
      body: bytes,
    });
    const text = await textIn(response);
    const isJson = response.headers["content-type"]?.includes("json") && !text.includes("\n{");
    return { status: response.status, headers: response.headers, body: isJson && text ? JSON.parse(text) : text };
  };

/** Builds a cluster on a clock. */
export async function clusterOn(
  clock: Clock,
  store: Store = openStore(":memory:"),
  busy: Simulation["busy"] = (work) => work,
  without: readonly string[] = [],
): Promise<Cluster> {
  const simulation = createSimulation({ clock, store, seed: 7, busy });
  const instances = new Map<string, InstanceFacts>();
  const api = await kubernetesApi(simulation, cloudOf(instances), { ...options, without: new Set(without) });
  api.resume();
  const as = (name: string, groups?: string[]): Ask =>
    asking(api, api.issueToken({ name, ...(groups ? { groups } : {}) }, null));
  return { api, simulation, instances, as, admin: as("admin", ["system:masters"]) };
}

/** The sandbox's time at the start of a still cluster: noon. */
export const NOON = Date.parse("2026-11-21T12:00:00Z");

/** Seconds of the sandbox's time in which a controller does its work. */
const PATIENCE = 60;

/** Reasons why a case runs only against the simulated cluster. */
const reasons = {
  clock: "needs the sandbox's clock",
  inside: "looks into the sandbox, where a server of its own shows nothing",
} as const;

/** A real server in the shape of a still cluster: a case that moves the clock or inspects the simulator is skipped. */
function asStill({ create, ...served }: ServedCluster): StillCluster {
  const shown = { create };
  const api = new Proxy(shown, {
    get: (target, name) => (name === "create" ? target.create : skipCase(reasons.inside)),
  });
  return {
    ...served,
    api: api as unknown as StillCluster["api"],
    get simulation(): never {
      return skipCase(reasons.inside);
    },
    get instances(): never {
      return skipCase(reasons.inside);
    },
    pass: async () => skipCase(reasons.clock),
  };
}

/** ConfigMaps that the cluster, or OpenShift, puts into each namespace. */
const given = ["kube-root-ca.crt", "openshift-service-ca.crt"];

/** Is this the name of an object that the cluster itself adds to each namespace? */
export const isGiven = (name = ""): boolean => given.includes(name);

/** Names the objects of a list that the cluster did not add. */
export const namesIn = (body: { readonly items: readonly { readonly metadata: { readonly name: string } }[] }) =>
  body.items.map(({ metadata }) => metadata.name).filter((name) => !isGiven(name));

/** Skips a case on a server without a controller manager. */
export function needsControllers(): void {
  if (inject("controllers") === false) skipCase("needs a controller manager");
}

/** Skips a case on a server that does not serve the kind that its request is for. */
export async function needsKind({ admin }: Pick<Cluster, "admin">, line: string): Promise<void> {
  const [path = ""] = /\/apis\/[^/]+\.[^/]+\/[^/]+/.exec(line) ?? [];
  if (path !== "" && (await admin(`GET ${path}`)).status === 404) skipCase(`${path} is not installed`);
}

/** Skips a case on any server but the simulated one, for the given reason. */
export function sandboxOnly(reason: string): void {
  if (inject("kubeconfig") !== undefined) skipCase(reason);
}

/**
 * A cluster whose clock moves only on the test's demand; in the lane of test/cluster the real server.
 * @param without names of the simulator's controllers that do not run
 */
export async function stillCluster(
  store?: Store,
  start = NOON,
  without: readonly string[] = [],
): Promise<StillCluster> {
  const served = inject("kubeconfig");
  return served === undefined
    ? sandboxCluster(store, start, without)
    : asStill(await servedCluster(served, inject("speed")));
}

async function sandboxCluster(
  store: Store | undefined,
  start: number,
  without: readonly string[],
): Promise<StillCluster> {
  const clock = pacedClock(start, 1e-9);
  const { during, settled } = activity();
  const cluster = await clusterOn(clock, store ?? (await certifiedStore(start)), during, without);
  const pass = async (seconds: number): Promise<void> => {
    await clock.advance(seconds * 1000, settled);
    await settled();
  };
  const until: StillCluster["until"] = async (question, what) => {
    for (let second = 0; !(await question()); second += 1) {
      if (second > PATIENCE) throw new Error(`${what} did not come within ${PATIENCE} s`);
      await pass(1);
    }
  };
  const objects: StillCluster["objects"] = async (plural, group) => cluster.api.objects(plural, group);
  return { ...cluster, pass, objects, until, stop: clock.stop };
}

/** A Linux node without a machine behind it: its kubelet is always alive. */
export const linuxNode = (name: string, labels: Record<string, string> = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, ...labels },
    },
    spec: { podCIDR: "10.128.2.0/23" },
    status: {
      conditions: [
        { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" },
      ],
      addresses: [{ type: "InternalIP", address: "10.0.0.9" }],
      allocatable: { cpu: "4", memory: "16Gi", pods: "110" },
      capacity: { cpu: "4", memory: "16Gi", pods: "110" },
      nodeInfo: {
        kubeletVersion: "v1.34.2",
        osImage: "Fedora CoreOS",
        kernelVersion: "6.12",
        containerRuntimeVersion: "cri-o://1.34.1",
        operatingSystem: "linux",
        architecture: "amd64",
        bootID: "b",
        machineID: "m",
        systemUUID: "u",
        kubeProxyVersion: "",
      },
    },
  }) as unknown as KubeObject;

/** A Deployment of containers that do nothing. */
export const deployment = (name: string, replicas: number, spec: Record<string, unknown> = {}): KubeObject =>
  ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "main", image: "pause" }], ...spec },
      },
    },
  }) as unknown as KubeObject;

/** A budget over the pods of a deployment. */
export const budget = (name: string, spec: Record<string, unknown>, app = name): KubeObject =>
  ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "default" },
    spec: { selector: { matchLabels: { app } }, ...spec },
  }) as unknown as KubeObject;
