import type { TokenJoin } from "../../cluster/joining.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { kubernetesFolder as k } from "../../machine/machine-paths.ts";

/** File with the kubeconfig that a machine joins with. */
export const BOOTSTRAP_KUBECONFIG = `${k}\\bootstrap-kubeconfig`;

/** File with the API server's authority. */
export const JOIN_AUTHORITY = `${k}\\bootstrap-ca.crt`;

/**
 * Writes the kubeconfig that a machine joins with: the field `kubeconfig` of its secret. JSON is valid YAML.
 * @param token a short-lived token of OKD's node-bootstrapper
 */
const kubeconfig = ({ cluster }: Configuration, token: string): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "local", cluster: { server: cluster.apiServer, "certificate-authority": JOIN_AUTHORITY } }],
    users: [{ name: "bootstrap", user: { token } }],
    contexts: [{ name: "bootstrap", context: { cluster: "local", user: "bootstrap" } }],
    "current-context": "bootstrap",
  });

/** OKD's own account for new nodes. OKD's machine-config-operator lets it request a kubelet's certificate. */
export const join: TokenJoin = {
  by: "service-account-token",
  account: { namespace: "openshift-machine-config-operator", name: "node-bootstrapper" },
  approver: "openshift-cluster-machine-approver",
  kubeconfig,
};
