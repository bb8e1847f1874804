import { parse } from "yaml";
import { z } from "zod";
import { profileOf } from "../../lambdas/profiles/list.ts";
import { instanceIdOf, isControlPlane, labelsOf } from "../../lambdas/steps/cluster/node-facts.ts";
import type { Administrator } from "../connect/administrator.ts";
import { type Fact, firstOf, part, read } from "./fact.ts";

/** A Linux node of the cluster, as EC2 knows it. */
export interface LinuxNode {
  readonly instanceId: string;
  readonly isControlPlane: boolean;
  readonly isWorker: boolean;
}

/** Values of the configuration that the cluster knows, and what else is needed to find the others. */
export interface ClusterFacts {
  readonly name: Fact<string>;
  readonly id: Fact<string>;
  readonly region: Fact<string>;
  readonly apiServer: Fact<string>;
  readonly certificateAuthority: Fact<string>;
  readonly serviceNetwork: Fact<string>;
  /** Address of the DNS Service; null where it is the one that nodes take without being told. */
  readonly dnsAddress: Fact<string | null>;
  readonly clusterNetwork: Fact<string>;
  readonly machineNetwork: Fact<string>;
  readonly hybridOverlayPort: Fact<number>;
  readonly inputs: Fact<"openshift">;
  /** Minor of Kubernetes, "1.34". */
  readonly minor: Fact<string>;
  /** Can the API server be reached from inside its VPC alone? */
  readonly isPrivate: boolean;
  readonly nodes: Fact<readonly LinuxNode[]>;
}

const infrastructureSchema = z.object({
  status: z.object({
    infrastructureName: z.string().optional(),
    apiServerURL: z.string().optional(),
    apiServerInternalURI: z.string().optional(),
    platformStatus: z.object({ aws: z.object({ region: z.string().optional() }).optional() }).optional(),
  }),
});

const ranges = z.array(z.object({ cidr: z.string() })).default([]);

const networkSchema = z.object({
  spec: z.object({
    clusterNetwork: ranges,
    serviceNetwork: z.array(z.string()).default([]),
    defaultNetwork: z.object({
      ovnKubernetesConfig: z
        .object({
          hybridOverlayConfig: z
            .object({ hybridClusterNetwork: ranges, hybridOverlayVXLANPort: z.number().optional() })
            .optional(),
        })
        .optional(),
    }),
  }),
});

/** Answers to the installer (openshift/installer, docs/user/customization.md). */
const installConfigSchema = z.object({
  metadata: z.object({ name: z.string().optional() }).default({}),
  networking: z.object({ machineNetwork: ranges }).default({ machineNetwork: [] }),
  publish: z.string().default("External"),
});

const infrastructureReference = {
  group: "config.openshift.io",
  version: "v1",
  plural: "infrastructures",
  name: "cluster",
} as const;

const networkReference = {
  group: "operator.openshift.io",
  version: "v1",
  plural: "networks",
  name: "cluster",
} as const;

const WORKER = "node-role.kubernetes.io/worker";

async function linuxNodes({ core }: Administrator): Promise<LinuxNode[]> {
  const { items } = await core.listNode({ labelSelector: "kubernetes.io/os=linux" });
  return items.flatMap((node) => {
    const instanceId = instanceIdOf(node);
    if (instanceId === null) return [];
    return [{ instanceId, isControlPlane: isControlPlane(node), isWorker: WORKER in labelsOf(node) }];
  });
}

async function configMap({ core }: Administrator, namespace: string, name: string, key: string): Promise<string> {
  const { data = {} } = await core.readNamespacedConfigMap({ namespace, name });
  const text = data[key];
  if (text === undefined) throw new Error(`it has no ${key}`);
  return text;
}

/** "https://api.prod-west.example.com:6443" names the cluster prod-west (openshift/installer: api.<name>.<baseDomain>). */
const nameInAddress = (address: string | undefined): string | undefined =>
  /^https:\/\/api\.([a-z0-9-]+)\./.exec(address ?? "")?.[1];

/** The cluster's DNS Service, and the address that nodes take without being told. */
const { dns } = profileOf({ cluster: { profile: "okd" } }).network;

async function dnsServiceAddress({ core }: Administrator): Promise<string | undefined> {
  const { namespace, name } = dns;
  return (await core.readNamespacedService({ namespace, name })).spec?.clusterIP;
}

/** The address of the DNS Service, unless nodes know it by the service network. */
function ownDnsAddress(address: Fact<string>, serviceNetwork: Fact<string>): Fact<string | null> {
  if ("missing" in address || "missing" in serviceNetwork) return address;
  return dns.address({ serviceNetwork: serviceNetwork.value }) === address.value
    ? { ...address, value: null }
    : address;
}

const isIpv4 = (cidr: string): boolean => !cidr.includes(":");

const INPUTS = "OpenShift publishes mirror sets, authorities and proxy, which nodes follow; none keeps them off";

/** Standard port of the overlay (OVN-Kubernetes: VXLAN, RFC 7348); a cluster with another one names it. */
const STANDARD_PORT = 4789;

type Network = z.infer<typeof networkSchema>;

function overlayPort({ spec }: Network): number | undefined {
  const overlay = spec.defaultNetwork.ovnKubernetesConfig?.hybridOverlayConfig;
  if (!overlay || overlay.hybridClusterNetwork.length === 0) return undefined;
  return overlay.hybridOverlayVXLANPort ?? STANDARD_PORT;
}

const minorIn = (version: string): string | undefined => /^v(1\.\d+)\./.exec(version)?.[1];

/** Reads what the cluster knows, as its administrator. What cannot be read is missing with its reason. */
export async function clusterFacts(cluster: Administrator): Promise<ClusterFacts> {
  const [infrastructure, network, installConfig, authority, version, nodes, dnsService] = await Promise.all([
    read("Infrastructure cluster", async () =>
      infrastructureSchema.parse(await cluster.clusterObject(infrastructureReference)),
    ),
    read("Network cluster", async () => networkSchema.parse(await cluster.clusterObject(networkReference))),
    read("ConfigMap kube-system/cluster-config-v1", async () =>
      installConfigSchema.parse(parse(await configMap(cluster, "kube-system", "cluster-config-v1", "install-config"))),
    ),
    read("ConfigMap default/kube-root-ca.crt", () => configMap(cluster, "default", "kube-root-ca.crt", "ca.crt")),
    read("the API server's /version", async () => (await cluster.version.getCode()).gitVersion),
    read("the cluster's Nodes", () => linuxNodes(cluster)),
    read(`Service ${dns.namespace}/${dns.name}`, () => dnsServiceAddress(cluster)),
  ]);
  const serviceNetwork = part(network, "spec.serviceNetwork", ({ spec }) => spec.serviceNetwork.find(isIpv4));
  return {
    name: firstOf(
      part(installConfig, "metadata.name", ({ metadata }) => metadata.name),
      part(infrastructure, "status.apiServerURL", (found) => nameInAddress(found.status.apiServerURL)),
    ),
    id: part(infrastructure, "status.infrastructureName", (found) => found.status.infrastructureName),
    region: part(
      infrastructure,
      "status.platformStatus.aws.region",
      (found) => found.status.platformStatus?.aws?.region,
    ),
    apiServer: part(infrastructure, "status.apiServerInternalURI", (found) => found.status.apiServerInternalURI),
    certificateAuthority: authority,
    serviceNetwork,
    dnsAddress: ownDnsAddress(
      part(dnsService, "spec.clusterIP", (address) => address),
      serviceNetwork,
    ),
    clusterNetwork: part(network, "spec.clusterNetwork", ({ spec }) =>
      spec.clusterNetwork.map(({ cidr }) => cidr).find(isIpv4),
    ),
    machineNetwork: part(installConfig, "networking.machineNetwork", ({ networking }) =>
      networking.machineNetwork.map(({ cidr }) => cidr).find(isIpv4),
    ),
    hybridOverlayPort: part(network, "hybridOverlayConfig", overlayPort),
    inputs: "missing" in infrastructure ? infrastructure : { value: "openshift", source: INPUTS },
    minor: part(version, "minor", minorIn),
    isPrivate: "value" in installConfig && installConfig.value.publish === "Internal",
    nodes: part(nodes, "Linux node on EC2", (all) => (all.length > 0 ? all : undefined)),
  };
}
