import { z } from "zod";
import type { Configuration } from "../../configuration/configuration.ts";
import type { Profile } from "../../profiles/profile.ts";
import { ifPresent, isAbsent, lacksRight } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import type { ClusterNetwork, LaunchFacts } from "../ec2/launch-obstacles.ts";
import { vpcNetworks } from "../ec2/vpc-networks.ts";
import { isWindows } from "./node-facts.ts";
import { type Node, nodes } from "./nodes.ts";

const infrastructure = z.object({
  status: z
    .object({
      platformStatus: z
        .object({
          type: z.string().optional(),
          external: z
            .object({ cloudControllerManager: z.object({ state: z.string().optional() }).optional() })
            .optional(),
        })
        .optional(),
    })
    .optional(),
});

async function platformOf({ clients }: StepContext): Promise<Pick<LaunchFacts, "platform" | "ownCloudController">> {
  const found: unknown = await ifPresent(
    clients.kubernetes.custom.getClusterCustomObject({
      group: "config.openshift.io",
      version: "v1",
      plural: "infrastructures",
      name: "cluster",
    }),
  );
  const status = found === undefined ? undefined : infrastructure.parse(found).status?.platformStatus;
  return {
    platform: status?.type ?? null,
    ownCloudController: status?.external?.cloudControllerManager?.state === "External",
  };
}

const ranges = z.array(z.object({ cidr: z.string(), hostPrefix: z.number().optional() })).default([]);

const network = z.object({
  spec: z.object({
    clusterNetwork: ranges,
    serviceNetwork: z.array(z.string()).default([]),
    defaultNetwork: z
      .object({
        ovnKubernetesConfig: z
          .object({ hybridOverlayConfig: z.object({ hybridClusterNetwork: ranges }).optional() })
          .optional(),
      })
      .optional(),
  }),
});

/** Networks of all pods and Services of the cluster, and of pods on Windows nodes, which have their own. */
async function networksOf({ clients }: StepContext): Promise<ClusterNetwork[]> {
  const found: unknown = await ifPresent(
    clients.kubernetes.custom.getClusterCustomObject({
      group: "operator.openshift.io",
      version: "v1",
      plural: "networks",
      name: "cluster",
    }),
  );
  if (found === undefined) return [];
  const { clusterNetwork, serviceNetwork, defaultNetwork } = network.parse(found).spec;
  const hybrid = defaultNetwork?.ovnKubernetesConfig?.hybridOverlayConfig?.hybridClusterNetwork ?? [];
  return [
    ...clusterNetwork.map(({ cidr }) => ({ of: "pods", cidr }) as const),
    ...serviceNetwork.map((cidr) => ({ of: "Services", cidr }) as const),
    ...hybrid.map(({ cidr, hostPrefix = null }) => ({ of: "pods on Windows nodes", cidr, hostPrefix }) as const),
  ];
}

/** Address of the cluster's DNS Service; null if there is none, or if the account may not read it yet. */
async function dnsAddressOf({ clients }: StepContext, { dns }: Profile["network"]): Promise<string | null> {
  try {
    const { namespace, name } = dns;
    return (await clients.kubernetes.core.readNamespacedService({ namespace, name })).spec?.clusterIP ?? null;
  } catch (error) {
    // A manifest of an earlier release lacks the right; the doctor reports that.
    if (isAbsent(error) || lacksRight(error)) return null;
    throw error;
  }
}

/** Namespace in which OLM installs WMCO, and the name of its Deployment (bundle/manifests). */
const WMCO = { namespace: "openshift-windows-machine-config-operator", name: "windows-machine-config-operator" };

const deployment = z.object({ spec: z.object({ replicas: z.number().default(1) }) });

/** Annotation that WMCO sets on each node that it has configured (pkg/metadata, VersionAnnotation). */
const WMCO_VERSION = "windowsmachineconfig.openshift.io/version";

const isWmcos = (node: Node): boolean => isWindows(node) && Boolean(node.metadata?.annotations?.[WMCO_VERSION]);

async function wmcoIn({ clients }: StepContext): Promise<boolean> {
  const where = { group: "apps", version: "v1", plural: "deployments", ...WMCO };
  const found: unknown = await ifPresent(clients.kubernetes.custom.getNamespacedCustomObject(where));
  return found !== undefined && deployment.parse(found).spec.replicas > 0;
}

/** Reads facts about the cluster. */
export const cluster = (context: StepContext) => ({
  /**
   * Reads the facts that decide whether Windows nodes can be launched into the cluster.
   * @param profile the kind of cluster
   */
  facts: async (
    profile: Pick<Profile, "network">,
    configuration: Pick<Configuration, "pools">,
  ): Promise<LaunchFacts> => {
    const [platform, networks, vpc, dnsAddress, wmco, all] = await Promise.all([
      platformOf(context),
      networksOf(context),
      vpcNetworks(context.clients.ec2, configuration),
      dnsAddressOf(context, profile.network),
      wmcoIn(context),
      nodes(context).all(),
    ]);
    const wmcoNodes = all.filter(isWmcos).map(({ metadata }) => metadata?.name ?? "");
    return { ...platform, networks, vpc, dnsAddress, wmco, wmcoNodes };
  },
});
