import { ACCOUNT_NAMESPACE, type Account } from "./accounts.ts";

/** One thing that the bot asks of the cluster; a test compares the list with the reviewed manifest, rule by rule. */
export interface Access {
  /** Purpose of the right, put after "cannot": "show the nodes". */
  readonly does: string;
  readonly verb: string;
  /** "" is the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Left out: in every namespace, or the resource has none. */
  readonly namespace?: string;
  /** Left out: for objects of any name. */
  readonly name?: string;
}

/** Namespace in which OKD keeps the account that nodes join with. */
export const JOIN_NAMESPACE = "openshift-machine-config-operator";
export const JOIN_ACCOUNT = "node-bootstrapper";
/** Requester of a joining kubelet's client certificate: that account's user name. */
export const JOIN_USER = `system:serviceaccount:${JOIN_NAMESPACE}:${JOIN_ACCOUNT}`;

const core = { group: "" };
const certificates = { group: "certificates.k8s.io" };
const signer = (name: string): Access => ({
  does: `approve what asks the signer ${name}`,
  verb: "approve",
  ...certificates,
  resource: "signers",
  name,
});

/** Rights to read that every account has. */
const reading: readonly Access[] = [
  { does: "show one node", verb: "get", ...core, resource: "nodes" },
  { does: "list the nodes", verb: "list", ...core, resource: "nodes" },
  { does: "see whether an evicted pod has gone", verb: "get", ...core, resource: "pods" },
  { does: "list what runs on a node", verb: "list", ...core, resource: "pods" },
  { does: "name the budget that blocks", verb: "get", group: "policy", resource: "poddisruptionbudgets" },
  { does: "list the budgets", verb: "list", group: "policy", resource: "poddisruptionbudgets" },
  { does: "tell a DaemonSet's pods from orphans", verb: "get", group: "apps", resource: "daemonsets" },
  { does: "see whether a namespace is being deleted", verb: "get", ...core, resource: "namespaces" },
  { does: "read a signing request", verb: "get", ...certificates, resource: "certificatesigningrequests" },
  {
    does: "find the requests of a joining machine",
    verb: "list",
    ...certificates,
    resource: "certificatesigningrequests",
  },
  {
    does: "look at the cluster's network",
    verb: "get",
    group: "operator.openshift.io",
    resource: "networks",
    name: "cluster",
  },
  {
    does: "read the authority that kubelets must trust",
    verb: "get",
    group: "machineconfiguration.openshift.io",
    resource: "controllerconfigs",
    name: "machine-config-controller",
  },
  { does: "see a Machine", verb: "get", group: "machine.openshift.io", resource: "machines" },
  { does: "see which machines a Machine claims", verb: "list", group: "machine.openshift.io", resource: "machines" },
  {
    does: "see the machines that WMCO was given",
    verb: "get",
    ...core,
    resource: "configmaps",
    name: "windows-instances",
  },
  {
    does: "see whether WMCO is at work",
    verb: "get",
    group: "apps",
    resource: "deployments",
    name: "windows-machine-config-operator",
  },
  {
    does: "see what the cluster was installed on",
    verb: "get",
    group: "config.openshift.io",
    resource: "infrastructures",
    name: "cluster",
  },
  {
    does: "see the account that machines join with",
    verb: "get",
    ...core,
    resource: "serviceaccounts",
    name: JOIN_ACCOUNT,
  },
];

/** Rights of both accounts that change something. */
const changing: readonly Access[] = [
  { does: "cordon, label, taint and annotate nodes", verb: "patch", ...core, resource: "nodes" },
  { does: "forget the Node of a machine that is gone", verb: "delete", ...core, resource: "nodes" },
  { does: "write Events on nodes", verb: "create", ...core, resource: "events", namespace: "default" },
  { does: "change Events on nodes", verb: "patch", ...core, resource: "events", namespace: "default" },
  { does: "list Events on nodes", verb: "list", ...core, resource: "events", namespace: "default" },
];

const tokenOf = (name: string, namespace: string, does: string): Access => ({
  does,
  verb: "create",
  ...core,
  resource: "serviceaccounts",
  subresource: "token",
  namespace,
  name,
});

const renewing = (account: Account): Access => tokenOf(account, ACCOUNT_NAMESPACE, "renew its own credential");

/** Everything that each account may do in a cluster, and why: what `npm run connect` and the doctor ask for one by one. */
export const clusterAccess: Readonly<Record<Account, readonly Access[]>> = {
  look: [...reading, renewing("look")],
  act: [
    ...reading,
    ...changing,
    { does: "evict pods", verb: "create", ...core, resource: "pods", subresource: "eviction" },
    renewing("act"),
  ],
  join: [
    ...reading,
    ...changing,
    {
      does: "approve signing requests",
      verb: "update",
      ...certificates,
      resource: "certificatesigningrequests",
      subresource: "approval",
    },
    signer("kubernetes.io/kube-apiserver-client-kubelet"),
    signer("kubernetes.io/kubelet-serving"),
    tokenOf(JOIN_ACCOUNT, JOIN_NAMESPACE, "make the token that a machine joins with"),
    renewing("join"),
  ],
};
