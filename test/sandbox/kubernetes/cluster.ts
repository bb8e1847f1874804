import { activity } from "../../../lib/sandbox/core/activity.ts";
import type { Clock } from "../../../lib/sandbox/core/clock.ts";
import { type Foundation, foundationOn } from "../../../lib/sandbox/core/foundation.ts";
import { pacedClock } from "../../../lib/sandbox/core/paced-clock.ts";
import { openStore, type Store } from "../../../lib/sandbox/core/store.ts";
import type { Cloud, InstanceFacts } from "../../../lib/sandbox/core/surroundings.ts";
import type { WireResponse } from "../../../lib/sandbox/core/wire.ts";
import { type Kubernetes, kubernetesApi } from "../../../lib/sandbox/kubernetes/api.ts";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";

/** What the API answered; the body is parsed when it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** One request: method and path in one string, a body, headers beside the token. */
export type Ask = (line: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** A cluster to test, with the hands on its clock and its cloud. */
export interface Cluster {
  readonly api: Kubernetes;
  readonly foundation: Foundation;
  readonly instances: Map<string, InstanceFacts>;
  /** Asks with a token for this user; an administrator unless told. */
  as(name: string, groups?: string[]): Ask;
  readonly admin: Ask;
}

/** A cluster whose time stands still until it is moved. */
export interface StillCluster extends Cluster {
  pass(seconds: number): Promise<void>;
  stop(): void;
}

const options = { version: "1.34.2", region: "us-west-2", hybridNetwork: "10.132.0.0/14" };

const cloudOf = (instances: Map<string, InstanceFacts>): Cloud => ({
  instance: (id) => instances.get(id),
  instances: () => [...instances.values()],
  shutDownByGuest: () => undefined,
});

/** The whole body of a response as text; an endless one is not for this. */
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
  busy: Foundation["busy"] = (work) => work,
): Promise<Cluster> {
  const foundation = foundationOn({ clock, store, seed: 7, busy });
  const instances = new Map<string, InstanceFacts>();
  const api = await kubernetesApi(foundation, cloudOf(instances), options);
  api.resume();
  const as = (name: string, groups?: string[]): Ask =>
    asking(api, api.issueToken({ name, ...(groups ? { groups } : {}) }, null));
  return { api, foundation, instances, as, admin: as("admin", ["system:masters"]) };
}

/** Noon of a day; the sandbox's time when a still cluster begins. */
export const NOON = Date.parse("2026-11-21T12:00:00Z");

/** A cluster whose clock moves only when the test says so. */
export async function stillCluster(store?: Store, start = NOON): Promise<StillCluster> {
  const clock = pacedClock(start, 1e-9);
  const { during, settled } = activity();
  const cluster = await clusterOn(clock, store, during);
  const pass = async (seconds: number): Promise<void> => {
    await clock.advance(seconds * 1000, settled);
    await settled();
  };
  return { ...cluster, pass, stop: clock.stop };
}

/** A Linux node without a machine behind it: always attended. */
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
