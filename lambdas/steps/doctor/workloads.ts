import type { V1CSINode, V1DaemonSet, V1Node, V1Pod, V1PodSpec } from "@kubernetes/client-node";
import type { Finding } from "../../messages/doctor/finding.ts";
import { isWindows } from "../cluster/node-facts.ts";
import { nodes } from "../cluster/nodes.ts";
import { claimsOf } from "../drain/pods.ts";
import { isSelected, toleratesTaints } from "../plan/node-matches.ts";
import type { DoctorCheck, DoctorFacts } from "./check.ts";

const OS_LABEL = "kubernetes.io/os";

/** The same node, if it ran Linux and kept no pod off. */
const asLinux = (node: V1Node): V1Node => ({
  metadata: { ...node.metadata, labels: { ...node.metadata?.labels, [OS_LABEL]: "linux" } },
});

/** Does the pod state the operating system of its containers? The API server then places it nowhere else. */
const statesWindows = (spec: V1PodSpec): boolean =>
  spec.os?.name === "windows" || spec.securityContext?.windowsOptions?.hostProcess === true;

/** Would the pod come to this Windows node, and to a Linux node just the same? */
const comesAnywhere = (spec: V1PodSpec, node: V1Node): boolean =>
  !statesWindows(spec) &&
  isSelected(spec, node) &&
  isSelected(spec, asLinux(node)) &&
  toleratesTaints(spec.tolerations ?? [], node);

/** The nodes of the configured pools as they will be, without the taint of their start. */
function expectedNodes({ configuration, profile }: Pick<DoctorFacts, "configuration" | "profile">): V1Node[] {
  return Object.entries(configuration.pools).map(([poolName, pool]) => ({
    metadata: {
      name: poolName,
      labels: { [OS_LABEL]: "windows", "kubernetes.io/arch": "amd64", ...profile.labels({ poolName, pool }) },
    },
    spec: { taints: [pool.taint] },
  }));
}

const nameOf = ({ metadata }: V1Pod | V1DaemonSet): string => `${metadata?.namespace}/${metadata?.name}`;

async function daemonSets(facts: DoctorFacts): Promise<Finding[]> {
  const where = { group: "apps", version: "v1", plural: "daemonsets" };
  const found = await facts.context.clients.kubernetes.custom.listClusterCustomObject(where);
  const { items = [] } = found as { items?: V1DaemonSet[] };
  const expected = expectedNodes(facts);
  const anywhere = items.filter(({ spec }) => {
    const pod = spec?.template.spec;
    return pod !== undefined && expected.some((node) => comesAnywhere(pod, node));
  });
  return anywhere.length === 0 ? [] : [{ kind: "daemonsets-anywhere", daemonSets: anywhere.map(nameOf) }];
}

/** Finds DaemonSets of Linux whose pods would come to Windows nodes: agents of monitoring and storage often do. */
export const daemonSetsCheck: DoctorCheck = {
  area: "Cluster",
  what: "the DaemonSets that tolerate Windows nodes",
  observe: daemonSets,
};

async function storageDrivers({ context }: DoctorFacts): Promise<Finding[]> {
  const windows = (await nodes(context).all()).filter(isWindows).map(({ metadata }) => metadata?.name ?? "");
  if (windows.length === 0) return [];
  const where = { group: "storage.k8s.io", version: "v1", plural: "csinodes" };
  const found = await context.clients.kubernetes.custom.listClusterCustomObject(where);
  const { items = [] } = found as { items?: V1CSINode[] };
  const served = new Set(items.filter(({ spec }) => spec.drivers.length > 0).map(({ metadata }) => metadata?.name));
  const without = new Set(windows.filter((name) => !served.has(name)));
  if (without.size === 0) return [];
  const waiting = (await nodes(context).pods()).filter(
    (pod) => without.has(pod.spec?.nodeName ?? "") && claimsOf(pod) > 0,
  );
  const theirs = new Set(waiting.map(({ spec }) => spec?.nodeName ?? ""));
  return waiting.length === 0 ? [] : [{ kind: "no-storage-driver", nodes: [...theirs], pods: waiting.map(nameOf) }];
}

/** Finds pods whose volumes no driver mounts. */
export const storageDriversCheck: DoctorCheck = {
  area: "Cluster",
  what: "the storage drivers of Windows nodes",
  observe: storageDrivers,
};
