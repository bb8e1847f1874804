import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { bus } from "../../../lib/sandbox/core/bus.ts";
import { callRecord } from "../../../lib/sandbox/core/calls.ts";
import type { Clock } from "../../../lib/sandbox/core/clock.ts";
import type { Foundation } from "../../../lib/sandbox/core/foundation.ts";
import { mishapBook } from "../../../lib/sandbox/core/mishaps.ts";
import { pacedClock } from "../../../lib/sandbox/core/paced-clock.ts";
import { seededRandom } from "../../../lib/sandbox/core/random.ts";
import { openStore, type Store } from "../../../lib/sandbox/core/store.ts";
import type { Cloud, InstanceFacts } from "../../../lib/sandbox/core/surroundings.ts";
import { type Kubernetes, kubernetesApi } from "../../../lib/sandbox/kubernetes/api.ts";
import { kubernetesDoor } from "../../../lib/sandbox/kubernetes/door.ts";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";

/** A cluster to test, with the hands on its clock and its cloud. */
export interface Cluster {
  readonly api: Kubernetes;
  readonly foundation: Foundation;
  readonly instances: Map<string, InstanceFacts>;
}

const options = { version: "1.34.2", region: "us-west-2", hybridNetwork: "10.132.0.0/14" };

/** A cloud that holds what the test puts in. */
export const cloudOf = (instances: Map<string, InstanceFacts>): Cloud => ({
  instance: (id) => instances.get(id),
  instances: () => [...instances.values()],
  shutDownByGuest: () => undefined,
});

/** Builds a cluster on a clock. */
export async function clusterOn(clock: Clock, store: Store = openStore(":memory:"), seed = 7): Promise<Cluster> {
  const random = seededRandom(seed);
  const foundation: Foundation = {
    clock,
    random,
    store,
    mishaps: mishapBook(store, random),
    calls: callRecord(clock),
    bus: bus(),
    busy: (work) => work,
  };
  const instances = new Map<string, InstanceFacts>();
  const api = await kubernetesApi(foundation, cloudOf(instances), options);
  api.resume();
  return { api, foundation, instances };
}

/** A cluster behind HTTPS on loopback, at a multiple of the host's pace. */
export async function openCluster(speed: number): Promise<Cluster & { url: string; close(): Promise<void> }> {
  const clock = pacedClock(Date.now(), speed);
  const cluster = await clusterOn(clock);
  const door = kubernetesDoor(cluster.api, cluster.api.serverCertificate);
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const url = `https://127.0.0.1:${(door.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    clock.stop();
    door.closeAllConnections();
    door.close();
    await once(door, "close");
  };
  return { ...cluster, url, close };
}

/** A kubeconfig for one user. */
export const kubeconfig = (url: string, authority: string, user: Record<string, string>): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "sandbox",
    clusters: [
      {
        name: "sandbox",
        cluster: { server: url, "certificate-authority-data": Buffer.from(authority).toString("base64") },
      },
    ],
    users: [{ name: "user", user }],
    contexts: [{ name: "sandbox", context: { cluster: "sandbox", user: "user" } }],
  });

/** A Linux node without a machine behind it: always attended. */
export const linuxNode = (name: string, labels: Record<string, string> = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name,
      labels: { "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, ...labels },
    },
    spec: {},
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
