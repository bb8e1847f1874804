import { ACCOUNT_NAMESPACE, type Account, type ServiceAccount } from "./accounts.ts";
import { type Join, tokenJoinOf } from "./joining.ts";
import { CLIENT_SIGNER, SERVING_SIGNER } from "./signers.ts";

/** One right that the bot needs in the cluster; a test compares the list with the reviewed manifest, rule by rule. */
export interface Access {
  /** Purpose of the right, which continues a sentence after "cannot": "show the nodes". */
  readonly does: string;
  readonly verb: string;
  /** "" is the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  /** Left out for every namespace, and for a resource without namespaces. */
  readonly namespace?: string;
  /** Left out for objects of any name. */
  readonly name?: string;
}

const core = { group: "" };
const certificates = { group: "certificates.k8s.io" };
const signer = (name: string): Access => ({
  does: `approve requests to the signer ${name}`,
  verb: "approve",
  ...certificates,
  resource: "signers",
  name,
});

/** Rights to read that every account has in any cluster. */
const reading: readonly Access[] = [
  { does: "read a node", verb: "get", ...core, resource: "nodes" },
  { does: "list nodes", verb: "list", ...core, resource: "nodes" },
  { does: "read a pod", verb: "get", ...core, resource: "pods" },
  { does: "list the pods of a node", verb: "list", ...core, resource: "pods" },
  { does: "read a disruption budget", verb: "get", group: "policy", resource: "poddisruptionbudgets" },
  { does: "list disruption budgets", verb: "list", group: "policy", resource: "poddisruptionbudgets" },
  { does: "read a DaemonSet", verb: "get", group: "apps", resource: "daemonsets" },
  { does: "list DaemonSets", verb: "list", group: "apps", resource: "daemonsets" },
  { does: "read a Job", verb: "get", group: "batch", resource: "jobs" },
  { does: "list the storage drivers of nodes", verb: "list", group: "storage.k8s.io", resource: "csinodes" },
  { does: "see which volumes pods claim", verb: "list", ...core, resource: "persistentvolumeclaims" },
  { does: "see the zones of volumes", verb: "list", ...core, resource: "persistentvolumes" },
  { does: "list RuntimeClasses", verb: "list", group: "node.k8s.io", resource: "runtimeclasses" },
  { does: "list the volumes attached to nodes", verb: "list", group: "storage.k8s.io", resource: "volumeattachments" },
  {
    does: "see who gives the bot's accounts more rights",
    verb: "list",
    group: "rbac.authorization.k8s.io",
    resource: "clusterrolebindings",
  },
  { does: "read a namespace", verb: "get", ...core, resource: "namespaces" },
  { does: "read a signing request", verb: "get", ...certificates, resource: "certificatesigningrequests" },
  {
    does: "list signing requests",
    verb: "list",
    ...certificates,
    resource: "certificatesigningrequests",
  },
  {
    does: "read the ConfigMap with what Windows nodes are given",
    verb: "get",
    ...core,
    resource: "configmaps",
    namespace: ACCOUNT_NAMESPACE,
    name: "inputs",
  },
];

/** Rights of both accounts that change something. */
const changing: readonly Access[] = [
  { does: "cordon, label, taint and annotate nodes", verb: "patch", ...core, resource: "nodes" },
  { does: "delete the Node of a terminated machine", verb: "delete", ...core, resource: "nodes" },
  { does: "write Events on nodes", verb: "create", ...core, resource: "events", namespace: "default" },
  { does: "change Events on nodes", verb: "patch", ...core, resource: "events", namespace: "default" },
  { does: "list Events on nodes", verb: "list", ...core, resource: "events", namespace: "default" },
];

const tokenOf = ({ namespace, name }: ServiceAccount, does: string): Access => ({
  does,
  verb: "create",
  ...core,
  resource: "serviceaccounts",
  subresource: "token",
  namespace,
  name,
});

const seeing = ({ name }: ServiceAccount): Access => ({
  does: "see the account that machines join with",
  verb: "get",
  ...core,
  resource: "serviceaccounts",
  name,
});

const renewing = (account: Account): Access =>
  tokenOf({ namespace: ACCOUNT_NAMESPACE, name: account }, "renew its own credential");

/** The fields of a profile that decide about rights in the cluster. */
export interface AccessNeeds {
  readonly join: Join;
  /** Objects of this kind of cluster that every account reads. */
  readonly reading: readonly Access[];
}

/**
 * The rights of each account in a cluster, with their purposes; `npm run connect` and the doctor test them one by one.
 */
export function accessOf({ join, reading: ofProfile }: AccessNeeds): Readonly<Record<Account, readonly Access[]>> {
  const account = tokenJoinOf(join)?.account;
  const all = [...reading, ...ofProfile, ...(account ? [seeing(account)] : [])];
  return {
    look: [...all, renewing("look")],
    act: [
      ...all,
      ...changing,
      { does: "see that a kubelet trusts the API server", verb: "get", ...core, resource: "pods", subresource: "log" },
      { does: "evict pods", verb: "create", ...core, resource: "pods", subresource: "eviction" },
      {
        does: "try a node's data plane by a pod",
        verb: "create",
        ...core,
        resource: "pods",
        namespace: ACCOUNT_NAMESPACE,
      },
      {
        does: "see why a pod of its own does not start",
        verb: "list",
        ...core,
        resource: "events",
        namespace: ACCOUNT_NAMESPACE,
      },
      { does: "remove its own pods", verb: "delete", ...core, resource: "pods", namespace: ACCOUNT_NAMESPACE },
      renewing("act"),
    ],
    join: [
      ...all,
      ...changing,
      {
        does: "approve signing requests",
        verb: "update",
        ...certificates,
        resource: "certificatesigningrequests",
        subresource: "approval",
      },
      signer(CLIENT_SIGNER),
      signer(SERVING_SIGNER),
      ...(account ? [tokenOf(account, "issue join tokens")] : []),
      renewing("join"),
    ],
  };
}
