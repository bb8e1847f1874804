import { z } from "zod";
import type { Configuration } from "../../configuration.ts";
import { JOIN_ACCOUNT, JOIN_NAMESPACE } from "../../desired/cluster-access.ts";
import { givesTokensAnId, kubeletFits, serverFits } from "../../desired/versions.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { STANDARD_OVERLAY_PORT } from "../../profiles/okd/services.ts";
import { isAbsent } from "../client-errors.ts";
import { cluster } from "../cluster/cluster.ts";
import { isWindows } from "../cluster/node-facts.ts";
import { nodes } from "../cluster/nodes.ts";
import { launchObstacles } from "../ec2/launch-obstacles.ts";
import type { Check, Patient } from "./check.ts";
import { kubeletClients } from "./kubelet-clients.ts";

// What WMCO checks before it starts (cmd/operator/main.go), and what its nodes lean on.

const exists = async (read: Promise<unknown>): Promise<boolean> => {
  try {
    await read;
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
};

const serverVersion = async ({ world }: Patient): Promise<string> =>
  (await world.clients.kubernetes.version.getCode({})).gitVersion;

async function server(patient: Patient): Promise<Finding[]> {
  const found = await serverVersion(patient);
  const { kubernetes } = patient.payload;
  if (!givesTokensAnId(found)) return [{ kind: "server-too-old", server: found }];
  return serverFits(found, kubernetes) ? [] : [{ kind: "server-version", server: found, payload: kubernetes }];
}

async function kubelets(patient: Patient): Promise<Finding[]> {
  const found = await serverVersion(patient);
  return (await nodes(patient.world).all()).filter(isWindows).flatMap((node): Finding[] => {
    const kubelet = node.status?.nodeInfo?.kubeletVersion ?? "";
    if (kubelet === "" || kubeletFits(kubelet, found)) return [];
    return [{ kind: "kubelet-version", node: node.metadata?.name ?? "", kubelet, server: found }];
  });
}

/** The cluster network operator's own configuration. */
const network = z.object({
  spec: z.object({
    serviceNetwork: z.array(z.string()).default([]),
    defaultNetwork: z.object({
      type: z.string(),
      ovnKubernetesConfig: z
        .object({
          hybridOverlayConfig: z
            .object({ hybridClusterNetwork: z.array(z.unknown()), hybridOverlayVXLANPort: z.number().optional() })
            .optional(),
        })
        .optional(),
    }),
  }),
});

/**
 * Judges the network that Windows nodes are to join: another port or service network than theirs would make nodes that
 * are Ready and reach nobody.
 * @param found the object networks.operator.openshift.io/cluster
 * @throws ZodError when it is no such object
 */
export function networkFindings(found: unknown, { cluster }: Pick<Configuration, "cluster">): Finding[] {
  const { serviceNetwork, defaultNetwork } = network.parse(found).spec;
  const overlay = defaultNetwork.ovnKubernetesConfig?.hybridOverlayConfig;
  if (defaultNetwork.type !== "OVNKubernetes" || !overlay || overlay.hybridClusterNetwork.length === 0)
    return [{ kind: "no-hybrid-network", network: defaultNetwork.type }];
  const port = overlay.hybridOverlayVXLANPort ?? STANDARD_OVERLAY_PORT;
  const pairs = [
    ["the overlay's port", String(port), String(cluster.hybridOverlayPort)],
    ...serviceNetwork.slice(0, 1).map((range) => ["the service network", range, cluster.serviceNetwork] as const),
  ] as const;
  return pairs
    .filter(([, theirs, ours]) => theirs !== ours)
    .map(([what, theirs, ours]) => ({ kind: "network-differs", what, cluster: theirs, configured: ours }));
}

async function clusterNetwork({ world, configuration }: Patient): Promise<Finding[]> {
  const found: unknown = await world.clients.kubernetes.custom.getClusterCustomObject({
    group: "operator.openshift.io",
    version: "v1",
    plural: "networks",
    name: "cluster",
  });
  return networkFindings(found, configuration);
}

async function joinAccount({ world }: Patient): Promise<Finding[]> {
  const read = world.clients.kubernetes.core.readNamespacedServiceAccount({
    name: JOIN_ACCOUNT,
    namespace: JOIN_NAMESPACE,
  });
  return (await exists(read)) ? [] : [{ kind: "no-join-account" }];
}

async function machineApprover({ world }: Patient): Promise<Finding[]> {
  const read = world.clients.kubernetes.core.readNamespace({ name: "openshift-cluster-machine-approver" });
  return (await exists(read)) ? [] : [{ kind: "no-machine-approver" }];
}

/** Obstacles that `/win add` judges before it launches anything. */
const obstacles = async ({ world, configuration }: Patient): Promise<Finding[]> =>
  launchObstacles(await cluster(world).facts(), configuration);

/** Checks of the cluster that profile okd needs. */
export const okdChecks: readonly Check[] = [
  { area: "Cluster", what: "the cluster's version", look: server },
  { area: "Cluster", what: "the hybrid network", look: clusterNetwork },
  { area: "Cluster", what: "what stands against a launch", look: obstacles },
  { area: "Cluster", what: "the account that nodes join with", look: joinAccount },
  { area: "Cluster", what: "the machine approver", look: machineApprover },
  { area: "Nodes", what: "the kubelets' versions", look: kubelets },
  kubeletClients,
];
