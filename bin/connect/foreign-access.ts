import type { RbacV1Subject, V1PolicyRule, V1RoleBinding } from "@kubernetes/client-node";
import { ACCOUNT_NAMESPACE, accounts } from "../../lambdas/cluster/accounts.ts";
import { isAbsent } from "../../lambdas/steps/client-errors.ts";
import { bindingLine, bindingsBeyond } from "../../lambdas/steps/cluster/account-bindings.ts";
import { StartError } from "../start-error.ts";
import type { Administrator } from "./administrator.ts";

/** Rights that give access to an account's token: to create one, to read one, or to run a pod as the account. */
const mintingRights: readonly { readonly group: string; readonly resource: string; readonly verbs: string[] }[] = [
  { group: "", resource: "serviceaccounts/token", verbs: ["create"] },
  { group: "", resource: "serviceaccounts", verbs: ["impersonate"] },
  { group: "", resource: "secrets", verbs: ["get", "list", "watch", "create", "update", "patch", "delete"] },
  { group: "", resource: "pods", verbs: ["create", "update", "patch"] },
  { group: "", resource: "pods/exec", verbs: ["create", "get"] },
  { group: "", resource: "pods/ephemeralcontainers", verbs: ["update", "patch"] },
  { group: "", resource: "replicationcontrollers", verbs: ["create", "update", "patch"] },
  { group: "apps", resource: "deployments", verbs: ["create", "update", "patch"] },
  { group: "apps", resource: "replicasets", verbs: ["create", "update", "patch"] },
  { group: "apps", resource: "statefulsets", verbs: ["create", "update", "patch"] },
  { group: "apps", resource: "daemonsets", verbs: ["create", "update", "patch"] },
  { group: "batch", resource: "jobs", verbs: ["create", "update", "patch"] },
  { group: "batch", resource: "cronjobs", verbs: ["create", "update", "patch"] },
  { group: "rbac.authorization.k8s.io", resource: "rolebindings", verbs: ["create", "update", "patch", "bind"] },
  { group: "rbac.authorization.k8s.io", resource: "roles", verbs: ["create", "update", "patch", "bind", "escalate"] },
  { group: "rbac.authorization.k8s.io", resource: "clusterrolebindings", verbs: ["create", "update", "patch", "bind"] },
];

const has = (list: readonly string[] | undefined, wanted: string): boolean =>
  list?.includes("*") === true || list?.includes(wanted) === true;

/** Resources whose objects are named after the accounts: a rule for other names gives no access to a token. */
const namedAsAccounts = new Set(["serviceaccounts/token", "serviceaccounts", "secrets"]);

const coversAccounts = (names: readonly string[] = []): boolean =>
  names.length === 0 ||
  // A Secret that holds a token is named after its account: "look-token-x7k2p", "look-dockercfg-x7k2p".
  accounts.some((account) => names.some((name) => name === account || name.startsWith(`${account}-`)));

/** Does a rule give access to a token of an account? */
export const isMinting = ({ apiGroups, resources, resourceNames, verbs }: V1PolicyRule): boolean =>
  mintingRights.some(
    (right) =>
      (coversAccounts(resourceNames) || !namedAsAccounts.has(right.resource)) &&
      has(apiGroups, right.group) &&
      (has(resources, right.resource) || has(resources, `*/${right.resource.split("/")[1] ?? ""}`)) &&
      right.verbs.some((verb) => has(verbs, verb)),
  );

/**
 * Is a subject foreign to the namespace? The namespace's own accounts are not: the bot's accounts create their own
 * tokens, and OKD gives `deployer` and `builder` rights in every namespace. The rights of a user who could act as one
 * of them are checked.
 */
const isForeign = ({ kind, namespace, name }: RbacV1Subject): boolean =>
  !(kind === "ServiceAccount" && namespace === ACCOUNT_NAMESPACE) &&
  !(kind === "Group" && name === `system:serviceaccounts:${ACCOUNT_NAMESPACE}`);

/** Reads the rules of a binding's role; a role that does not exist has none. */
async function rulesOf({ rbac }: Administrator, { roleRef }: V1RoleBinding): Promise<V1PolicyRule[]> {
  const { kind, name } = roleRef;
  const read =
    kind === "ClusterRole"
      ? rbac.readClusterRole({ name })
      : rbac.readNamespacedRole({ name, namespace: ACCOUNT_NAMESPACE });
  try {
    return (await read).rules ?? [];
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join("\n");

/**
 * Refuses a namespace where others could create tokens of the bot's accounts: a tenant's project, for example.
 * @throws StartError that names each binding and its subjects
 */
export async function refuseForeignAccess(administrator: Administrator): Promise<void> {
  const { items } = await administrator.rbac.listNamespacedRoleBinding({ namespace: ACCOUNT_NAMESPACE });
  const foreign = items.filter(({ subjects = [] }) => subjects.some(isForeign));
  const judged = await Promise.all(
    foreign.map(async (binding) => ({ binding, rules: await rulesOf(administrator, binding) })),
  );
  const minting = judged.filter(({ rules }) => rules.some(isMinting)).map(({ binding }) => binding);
  if (minting.length === 0) return;
  const named = minting.map((binding) => bindingLine(binding, (binding.subjects ?? []).filter(isForeign)));
  throw new StartError(
    `others hold rights in the namespace ${ACCOUNT_NAMESPACE} by which they could make tokens of the bot's accounts:\n${indented(named)}\nNothing was stored. Delete these RoleBindings (kubectl delete rolebinding -n ${ACCOUNT_NAMESPACE} NAME), then run this again.`,
  );
}

/** Is a subject part of the cluster itself: a component of Kubernetes or OpenShift? */
const isOfCluster = ({ kind, namespace = "", name }: RbacV1Subject): boolean =>
  kind === "ServiceAccount" ? /^(kube-.*|openshift|openshift-.*)$/.test(namespace) : name.startsWith("system:");

/**
 * Refuses accounts to which a ClusterRoleBinding gives more rights than the manifest.
 * @throws StartError that names each binding
 */
export async function refuseMoreRights({ rbac }: Administrator): Promise<void> {
  const { items } = await rbac.listClusterRoleBinding();
  const more = bindingsBeyond(items);
  if (more.length === 0) return;
  throw new StartError(
    `ClusterRoleBindings give the bot's accounts rights that are not in the manifest:\n${indented(more)}\nNothing was stored. Delete these ClusterRoleBindings, or take the subjects out (kubectl edit clusterrolebinding NAME), then run this again.`,
  );
}

/**
 * Finds who else may make tokens of the accounts, or impersonate them, by a ClusterRoleBinding: administrators, and
 * others who are as good as administrators. Components of the cluster are left out.
 * @returns a line for each binding, with its subjects
 */
export async function clusterWideMinters({ rbac }: Administrator): Promise<string[]> {
  const [{ items: bindings }, { items: roles }] = await Promise.all([
    rbac.listClusterRoleBinding(),
    rbac.listClusterRole(),
  ]);
  const minting = new Set(roles.filter(({ rules }) => rules?.some(isMinting)).map(({ metadata }) => metadata?.name));
  return bindings.flatMap((binding) => {
    const others = (binding.subjects ?? []).filter((one) => isForeign(one) && !isOfCluster(one));
    return minting.has(binding.roleRef.name) && others.length > 0 ? [`  ${bindingLine(binding, others)}`] : [];
  });
}

/** Kinds of Secrets that hold a token without an expiry (OKD before 4.16 makes them for each account). */
const TOKENS = new Set(["kubernetes.io/service-account-token", "kubernetes.io/dockercfg"]);

/**
 * Finds tokens of the accounts that are stored in the cluster: a reader of one can act as the bot until it is deleted.
 * @returns names of Secrets
 */
export async function storedTokens({ core }: Administrator): Promise<string[]> {
  const { items } = await core.listNamespacedSecret({ namespace: ACCOUNT_NAMESPACE });
  const isOfOurs = (annotations: Record<string, string> = {}): boolean =>
    accounts.some((account) => account === annotations["kubernetes.io/service-account.name"]);
  return items
    .filter(({ type, metadata }) => TOKENS.has(type ?? "") && isOfOurs(metadata?.annotations))
    .map(({ metadata }) => metadata?.name ?? "");
}
