import { at, type KubeObject, listOf } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Objects } from "../store/objects.ts";
import { type Attributes, type Authorizer, serviceAccountUser, type User } from "./users.ts";

/** One rule of a Role or ClusterRole. */
export interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

const has = (list: readonly string[] | undefined, value: string): boolean =>
  list !== undefined && (list.includes("*") || list.includes(value));

const coversPath = (patterns: readonly string[] | undefined, path: string): boolean =>
  (patterns ?? []).some((one) => one === path || (one.endsWith("*") && path.startsWith(one.slice(0, -1))));

const coversName = (names: readonly string[] | undefined, name: string): boolean =>
  !names || names.length === 0 || names.includes(name);

function coversResource(rule: Rule, wanted: Attributes): boolean {
  const resource = wanted.subresource ? `${wanted.resource}/${wanted.subresource}` : wanted.resource;
  const anyWithSubresource = wanted.subresource !== "" && (rule.resources ?? []).includes(`*/${wanted.subresource}`);
  return (
    has(rule.apiGroups, wanted.group) &&
    (has(rule.resources, resource) || anyWithSubresource) &&
    coversName(rule.resourceNames, wanted.name || (wanted.onlyName ?? ""))
  );
}

/** Does this rule allow it? (k8s.io/component-helpers/auth/rbac/validation RuleAllows) */
export const ruleAllows = (rule: Rule, wanted: Attributes): boolean =>
  has(rule.verbs, wanted.verb) &&
  (wanted.path === undefined ? coversResource(rule, wanted) : coversPath(rule.nonResourceURLs, wanted.path));

const matchers: Readonly<Record<string, (subject: Subject, user: User, namespace: string | undefined) => boolean>> = {
  User: (subject, user) => subject.name === user.name,
  Group: (subject, user) => user.groups.includes(subject.name),
  ServiceAccount: (subject, user, namespace) =>
    serviceAccountUser(subject.namespace ?? namespace ?? "", subject.name).name === user.name,
};

const binds = (binding: KubeObject, user: User): boolean =>
  listOf<Subject>(binding.subjects).some((one) => matchers[one.kind]?.(one, user, binding.metadata.namespace) ?? false);

/** Reads the rules that bindings grant a user; a missing role grants none. */
export function ruleResolver(objects: Objects): (user: User, namespace: string | undefined) => Rule[] {
  const [clusterRoles, clusterBindings, roles, bindings] = (
    ["clusterroles", "clusterrolebindings", "roles", "rolebindings"] as const
  ).map((plural) => known(plural, "rbac.authorization.k8s.io")) as [
    ReturnType<typeof known>,
    ReturnType<typeof known>,
    ReturnType<typeof known>,
    ReturnType<typeof known>,
  ];
  const rulesOf = (binding: KubeObject): Rule[] => {
    const name = String(at(binding, "roleRef", "name"));
    const isClusterRole = at(binding, "roleRef", "kind") === "ClusterRole";
    const role = isClusterRole
      ? objects.get(clusterRoles, undefined, name)
      : objects.get(roles, binding.metadata.namespace, name);
    return listOf<Rule>(role?.rules);
  };
  return (user, namespace) => {
    const inNamespace = namespace ? objects.list(bindings, namespace) : [];
    return [...objects.list(clusterBindings), ...inNamespace].filter((one) => binds(one, user)).flatMap(rulesOf);
  };
}

/**
 * Members of system:masters may do everything (privileged group authoriser); others have the rights of their bindings.
 */
export function rbacAuthorizer(objects: Objects): Authorizer {
  const rules = ruleResolver(objects);
  return (user, wanted) =>
    user.groups.includes("system:masters") || rules(user, wanted.namespace).some((rule) => ruleAllows(rule, wanted));
}
