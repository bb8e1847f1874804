import { parseAllDocuments } from "yaml";
import { clusterManifest } from "../../lib/manifests/manifest.ts";
import type { KubeObject } from "../../lib/sandbox/kubernetes/model/object.ts";
import { testImages } from "../sandbox/kubernetes/probe-images.ts";
import { servedCluster } from "../sandbox/kubernetes/served.ts";

/** Namespaces and the account of OKD that the manifest speaks of. */
const okd = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "openshift-machine-api" } },
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "openshift-machine-config-operator" } },
  {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "node-bootstrapper", namespace: "openshift-machine-config-operator" },
  },
  {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "system-bootstrap-node-bootstrapper" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "system:node-bootstrapper" },
    subjects: [{ kind: "ServiceAccount", name: "node-bootstrapper", namespace: "openshift-machine-config-operator" }],
  },
] as unknown as KubeObject[];

const manifest = (): KubeObject[] =>
  parseAllDocuments(clusterManifest({ labelKeys: [], probeImages: testImages })).flatMap((one) =>
    one.contents ? [one.toJS() as KubeObject] : [],
  );

/**
 * Applies OKD's part and the bot's manifest to the cluster, as its administrator does. They stay there.
 * @returns whether a controller manager is at work: it gives each namespace a service account
 */
export async function prepare(kubeconfig: string): Promise<boolean> {
  const { apply, admin, until } = await servedCluster(kubeconfig);
  for (const object of [...okd, ...manifest()]) await apply(object);
  const account = "GET /api/v1/namespaces/openshift-machine-api/serviceaccounts/default";
  return until(async () => (await admin(account)).status === 200, "a namespace's service account").then(
    () => true,
    () => false,
  );
}
