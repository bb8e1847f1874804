import { z } from "zod";
import { JOIN_ACCOUNT, JOIN_NAMESPACE } from "../../desired/cluster-access.ts";
import { kubeletFits, serverFits } from "../../desired/versions.ts";
import type { Finding } from "../../messages/finding.ts";
import { isAbsent } from "../client-errors.ts";
import { isWindows } from "../node-facts.ts";
import { nodes } from "../nodes.ts";
import type { Check, Patient } from "./check.ts";

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
    defaultNetwork: z.object({
      type: z.string(),
      ovnKubernetesConfig: z
        .object({ hybridOverlayConfig: z.object({ hybridClusterNetwork: z.array(z.unknown()) }).optional() })
        .optional(),
    }),
  }),
});

async function hybridNetwork({ world }: Patient): Promise<Finding[]> {
  const found: unknown = await world.clients.kubernetes.custom.getClusterCustomObject({
    group: "operator.openshift.io",
    version: "v1",
    plural: "networks",
    name: "cluster",
  });
  const { type, ovnKubernetesConfig } = network.parse(found).spec.defaultNetwork;
  const ranges = ovnKubernetesConfig?.hybridOverlayConfig?.hybridClusterNetwork ?? [];
  return type === "OVNKubernetes" && ranges.length > 0 ? [] : [{ kind: "no-hybrid-network", network: type }];
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

/** What profile okd needs of its cluster. */
export const okdChecks: readonly Check[] = [
  { area: "Cluster", what: "the cluster's version", look: server },
  { area: "Cluster", what: "the hybrid network", look: hybridNetwork },
  { area: "Cluster", what: "the account that nodes join with", look: joinAccount },
  { area: "Cluster", what: "the machine approver", look: machineApprover },
  { area: "Nodes", what: "the kubelets' versions", look: kubelets },
];
