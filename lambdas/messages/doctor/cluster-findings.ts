import { code, plain } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { broken, type FindingText, list, warning } from "./finding-text.ts";

type ClusterFinding = Extract<
  Finding,
  {
    kind:
      | "server-version"
      | "no-hybrid-network"
      | "network-differs"
      | "no-join-account"
      | "no-machine-approver"
      | "no-linux-node"
      | "daemonsets-anywhere"
      | "no-storage-driver";
  }
>;

/** Texts of findings about the cluster itself. */
export const ofCluster: {
  readonly [K in ClusterFinding["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText;
} = {
  "server-version": ({ server, payload }) =>
    broken(
      "Cluster",
      `the cluster runs ${code(server)}, but the payload for ${code(payload)} supports that version and the next one only`,
      "upload the payload for the cluster's version and deploy its manifest",
    ),
  "no-hybrid-network": ({ network }) =>
    broken(
      "Cluster",
      `the cluster's network (${plain(network)}) has no hybrid overlay for Windows nodes`,
      "give OVN-Kubernetes a hybrid cluster network (OKD documentation, “Configuring hybrid networking”)",
    ),
  "network-differs": ({ what, cluster, configured }) =>
    broken(
      "Cluster",
      `${plain(what)} is ${code(cluster)} in the cluster, but ${code(configured)} in the configuration`,
      "set the cluster's value in the configuration and deploy",
    ),
  "no-join-account": () =>
    broken(
      "Cluster",
      "the service account for joining nodes, `openshift-machine-config-operator/node-bootstrapper`, is missing",
      "check the Machine Config Operator, which creates this account",
    ),
  "no-machine-approver": () =>
    warning(
      "Cluster",
      "`openshift-cluster-machine-approver` is missing: certificates of the cluster's own Machines are not approved",
      "check that cluster operator; nodes that Casement launches do not need it",
    ),
  "no-linux-node": () =>
    broken(
      "Cluster",
      "no Linux node is Ready, and the cluster's own services need one",
      "get a Linux node Ready first",
    ),
  "daemonsets-anywhere": ({ daemonSets }) =>
    warning(
      "Cluster",
      `${list(daemonSets)} ${daemonSets.length === 1 ? "tolerates" : "tolerate"} the taint of Windows nodes without choosing an operating system: their pods come to Windows nodes, where an image that is made for Linux cannot start`,
      "add the node selector `kubernetes.io/os: linux` to each, unless its image is made for Windows as well",
    ),
  "no-storage-driver": ({ nodes, pods }) =>
    warning(
      "Cluster",
      `pods claim volumes on Windows nodes without a storage driver (${list(nodes)}): ${list(pods)} cannot start. csi-proxy alone stores nothing`,
      "install a CSI driver with a DaemonSet for Windows (docs/windows.md#storage), or use another kind of volume",
    ),
};
