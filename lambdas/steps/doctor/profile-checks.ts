import { tokenJoinOf } from "../../cluster/joining.ts";
import { givesTokensAnId, kubeletFits, serverFits } from "../../machine/versions.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import type { CheckId, Profile } from "../../profiles/profile.ts";
import { isAbsent } from "../client-errors.ts";
import { cluster } from "../cluster/cluster.ts";
import { isWindows } from "../cluster/node-facts.ts";
import { nodes } from "../cluster/nodes.ts";
import { launchObstacles } from "../ec2/launch-obstacles.ts";
import type { DoctorCheck, DoctorFacts } from "./check.ts";
import { kubeletClientsCheck } from "./kubelet-clients.ts";
import { daemonSetsCheck, storageDriversCheck } from "./workloads.ts";

// Checks that WMCO makes before it starts (cmd/operator/main.go), and checks of what its nodes depend on.

const exists = async (read: Promise<unknown>): Promise<boolean> => {
  try {
    await read;
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
};

const serverVersion = async ({ context }: DoctorFacts): Promise<string> =>
  (await context.clients.kubernetes.version.getCode({})).gitVersion;

async function server(patient: DoctorFacts): Promise<Finding[]> {
  const found = await serverVersion(patient);
  const { kubernetes } = patient.payload;
  if (!givesTokensAnId(found)) return [{ kind: "server-too-old", server: found }];
  return serverFits(found, kubernetes) ? [] : [{ kind: "server-version", server: found, payload: kubernetes }];
}

async function kubelets(patient: DoctorFacts): Promise<Finding[]> {
  const found = await serverVersion(patient);
  return (await nodes(patient.context).all()).filter(isWindows).flatMap((node): Finding[] => {
    const kubelet = node.status?.nodeInfo?.kubeletVersion ?? "";
    if (kubelet === "" || kubeletFits(kubelet, found)) return [];
    return [{ kind: "kubelet-version", node: node.metadata?.name ?? "", kubelet, server: found }];
  });
}

async function clusterNetwork({ context, configuration, profile: { network } }: DoctorFacts): Promise<Finding[]> {
  const found: unknown = await context.clients.kubernetes.custom.getClusterCustomObject({ ...network.object });
  return network.findings(found, configuration);
}

async function joinAccount({ context, profile }: DoctorFacts): Promise<Finding[]> {
  const join = tokenJoinOf(profile.join);
  if (!join) return [];
  const read = context.clients.kubernetes.core.readNamespacedServiceAccount({ ...join.account });
  return (await exists(read)) ? [] : [{ kind: "no-join-account" }];
}

async function machineApprover({ context, profile }: DoctorFacts): Promise<Finding[]> {
  const join = tokenJoinOf(profile.join);
  if (!join) return [];
  const read = context.clients.kubernetes.core.readNamespace({ name: join.approver });
  return (await exists(read)) ? [] : [{ kind: "no-machine-approver" }];
}

/** Lists the obstacles that `/win add` judges before it launches a machine. */
const obstacles = async ({ context, configuration, profile }: DoctorFacts): Promise<Finding[]> =>
  launchObstacles(await cluster(context).facts(profile, configuration), configuration, profile.network);

const checks: Readonly<Record<CheckId, DoctorCheck>> = {
  "server-version": { area: "Cluster", what: "the cluster's version", observe: server },
  network: { area: "Cluster", what: "the hybrid network", observe: clusterNetwork },
  "launch-obstacles": { area: "Cluster", what: "the obstacles to a launch", observe: obstacles },
  "join-account": { area: "Cluster", what: "the service account for joining nodes", observe: joinAccount },
  "machine-approver": { area: "Cluster", what: "the machine approver", observe: machineApprover },
  "kubelet-versions": { area: "Nodes", what: "the kubelets' versions", observe: kubelets },
  "kubelet-clients": kubeletClientsCheck,
  daemonsets: daemonSetsCheck,
  "storage-drivers": storageDriversCheck,
};

/** Lists the checks of the cluster and its nodes that the kind of cluster requires. */
export const profileChecksOf = (profile: Profile): readonly DoctorCheck[] => profile.checks.map((id) => checks[id]);
