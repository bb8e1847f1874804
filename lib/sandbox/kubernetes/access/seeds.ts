import { parseAllDocuments } from "yaml";
import { clusterManifest } from "../../../manifests/manifest.ts";
import type { KubeObject } from "../model/object.ts";
import { type ResourceType, resourceTypes } from "../model/resources.ts";
import {
  authorities,
  clusterConfig,
  dnsService,
  draft,
  type InstallationFacts,
  imageConfiguration,
  infrastructure,
  network,
  proxyConfiguration,
  router,
} from "./installation.ts";
import type { Rule } from "./rbac.ts";

const RBAC = "rbac.authorization.k8s.io";

const clusterRole = (name: string, rules: readonly Rule[]): KubeObject =>
  draft(`${RBAC}/v1`, "ClusterRole", { name }, { rules });

const groupBinding = (name: string, role: string, group: string): KubeObject =>
  draft(
    `${RBAC}/v1`,
    "ClusterRoleBinding",
    { name },
    {
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: role },
      subjects: [{ kind: "Group", apiGroup: RBAC, name: group }],
    },
  );

const paths = (...nonResourceURLs: string[]): Rule => ({ verbs: ["get"], nonResourceURLs });

const reviewsOfSelf: Rule[] = [
  {
    verbs: ["create"],
    apiGroups: ["authorization.k8s.io"],
    resources: ["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
  },
  { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["selfsubjectreviews"] },
];

const isReadable = ({ virtual, plural }: ResourceType): boolean => !virtual && plural !== "secrets";

/** Rules to read everything except Secrets, like the aggregated role `view` and OKD's `cluster-reader`. */
const readable = (): Rule[] =>
  [...Map.groupBy(resourceTypes.filter(isReadable), ({ group }) => group)].map(([group, types]) => ({
    verbs: ["get", "list", "watch"],
    apiGroups: [group],
    resources: types.map(({ plural }) => plural),
  }));

/** Cluster roles and bindings that every cluster starts with (k8s plugin/pkg/auth/authorizer/rbac/bootstrappolicy). */
const bootstrapPolicy = (): KubeObject[] => [
  clusterRole("cluster-admin", [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ]),
  clusterRole("cluster-reader", readable()),
  clusterRole("system:discovery", [
    paths(
      "/api",
      "/api/*",
      "/apis",
      "/apis/*",
      "/healthz",
      "/livez",
      "/openapi",
      "/openapi/*",
      "/readyz",
      "/version",
      "/version/",
    ),
  ]),
  clusterRole("system:service-account-issuer-discovery", [
    paths(
      "/.well-known/openid-configuration",
      "/.well-known/openid-configuration/",
      "/openid/v1/jwks",
      "/openid/v1/jwks/",
    ),
  ]),
  clusterRole("system:basic-user", reviewsOfSelf),
  clusterRole("system:node-bootstrapper", [
    {
      verbs: ["create", "get", "list", "watch"],
      apiGroups: ["certificates.k8s.io"],
      resources: ["certificatesigningrequests"],
    },
  ]),
  groupBinding("cluster-admin", "cluster-admin", "system:masters"),
  groupBinding("cluster-readers", "cluster-reader", "system:cluster-readers"),
  groupBinding("system:discovery", "system:discovery", "system:authenticated"),
  groupBinding(
    "system:service-account-issuer-discovery",
    "system:service-account-issuer-discovery",
    "system:serviceaccounts",
  ),
  groupBinding("system:basic-user", "system:basic-user", "system:authenticated"),
];

const spaces = [
  "default",
  "kube-system",
  "kube-public",
  "kube-node-lease",
  "openshift-config",
  "openshift-kube-apiserver-operator",
  "openshift-machine-api",
  "openshift-machine-config-operator",
  "openshift-cluster-machine-approver",
  "openshift-ingress",
  "openshift-dns",
];

/** Objects of the machine config operator for kubelets that join (OKD manifests node-bootstrapper-*.yaml). */
const bootstrapper = (): KubeObject[] => {
  const namespace = "openshift-machine-config-operator";
  return [
    draft("v1", "ServiceAccount", { name: "node-bootstrapper", namespace }),
    draft(
      `${RBAC}/v1`,
      "ClusterRoleBinding",
      { name: "system-bootstrap-node-bootstrapper" },
      {
        roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: "system:node-bootstrapper" },
        subjects: [{ kind: "ServiceAccount", name: "node-bootstrapper", namespace }],
      },
    ),
  ];
};

/**
 * Permissions that OVN-Kubernetes grants to a node's network component (its manifests' ovnkube-node-identity-limited).
 */
const networkNodes = (): KubeObject[] => [
  clusterRole("openshift-ovn-kubernetes-node-identity-limited", [
    { verbs: ["get", "list", "watch", "patch"], apiGroups: [""], resources: ["nodes"] },
    { verbs: ["patch", "update"], apiGroups: [""], resources: ["nodes/status"] },
    { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["pods", "namespaces", "services"] },
    {
      verbs: ["create", "get", "list", "watch"],
      apiGroups: ["certificates.k8s.io"],
      resources: ["certificatesigningrequests"],
    },
  ]),
  groupBinding(
    "openshift-ovn-kubernetes-node-identity-limited",
    "openshift-ovn-kubernetes-node-identity-limited",
    "system:ovn-nodes",
  ),
];

const manifests = new Map<string, readonly KubeObject[]>();

/** Reads the reviewed manifest; its text is parsed once in a process, because each simulated cluster begins with it. */
function manifestObjects(probeImages: readonly string[]): KubeObject[] {
  const text = clusterManifest({ labelKeys: [], probeImages });
  const known =
    manifests.get(text) ?? parseAllDocuments(text).flatMap((one) => (one.contents ? [one.toJS() as KubeObject] : []));
  manifests.set(text, known);
  return structuredClone([...known]);
}

/**
 * Objects that the cluster's administrator applies for the bot, read from the same file. One in a namespace that does
 * not exist is skipped: the server answers 404, and kubectl continues with the rest.
 */
const clusterAccess = (probeImages: readonly string[]): KubeObject[] => {
  const objects = manifestObjects(probeImages);
  const own = objects.filter(({ kind }) => kind === "Namespace").map(({ metadata }) => metadata.name);
  return objects.filter(({ metadata: { namespace } }) => !namespace || [...spaces, ...own].includes(namespace));
};

/** The API server's Service, which it creates itself (k8s pkg/controlplane/controller/kubernetesservice). */
const apiService = (): KubeObject =>
  draft(
    "v1",
    "Service",
    { name: "kubernetes", namespace: "default" },
    {
      spec: {
        type: "ClusterIP",
        clusterIP: "172.30.0.1",
        clusterIPs: ["172.30.0.1"],
        ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
      },
    },
  );

/** Everything that a new simulated cluster holds before its first node. */
export const seeds = (facts: InstallationFacts): KubeObject[] => [
  ...spaces.map((name) => draft("v1", "Namespace", { name })),
  draft("v1", "ServiceAccount", { name: "default", namespace: "default" }),
  apiService(),
  dnsService(),
  ...bootstrapPolicy(),
  ...bootstrapper(),
  ...networkNodes(),
  network(facts),
  infrastructure(facts.installation),
  ...(facts.installation ? [clusterConfig(facts.installation)] : []),
  imageConfiguration(),
  proxyConfiguration(),
  router(),
  ...authorities(facts),
  ...clusterAccess(facts.probeImages),
];
