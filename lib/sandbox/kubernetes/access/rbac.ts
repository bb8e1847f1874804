import { at, type KubeObject, listOf } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Objects } from "../store/objects.ts";
import { type Attributes, type Authorizer, serviceAccountUser, type User } from "./users.ts";

const GROUP = "rbac.authorization.k8s.io";

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

const boundSubject = ({ subjects, metadata }: KubeObject, user: User): Subject | undefined =>
  listOf<Subject>(subjects).find((one) => matchers[one.kind]?.(one, user, metadata.namespace) ?? false);

/** Rules that one binding gives a user. */
interface Grant {
  readonly rules: readonly Rule[];
  /** The binding, its role and the subject, as a review names them. */
  readonly source: string;
  /** Error of a binding that gives nothing: its role does not exist. */
  readonly lack?: string;
}

/** Describes a binding that names a user (k8s pkg/registry/rbac/validation/rule.go, roleBindingDescriber). */
function sourceOf({ kind, metadata, roleRef }: KubeObject, subject: Subject): string {
  const space = subject.namespace ?? metadata.namespace ?? "";
  const who = subject.kind === "ServiceAccount" ? `${subject.name}/${space}` : subject.name;
  const binding = metadata.namespace ? `${metadata.name}/${metadata.namespace}` : metadata.name;
  const role = `${String(at(roleRef, "kind"))} "${String(at(roleRef, "name"))}"`;
  return `${kind} "${binding}" of ${role} to ${subject.kind} "${who}"`;
}

/** Finds what bindings grant a user; a missing role grants nothing. */
export function grantsOf(objects: Objects): (user: User, namespace: string | undefined) => Grant[] {
  const [clusterRoles, clusterBindings, roles, bindings] = (
    ["clusterroles", "clusterrolebindings", "roles", "rolebindings"] as const
  ).map((plural) => known(plural, GROUP)) as [
    ReturnType<typeof known>,
    ReturnType<typeof known>,
    ReturnType<typeof known>,
    ReturnType<typeof known>,
  ];
  const grantOf = (binding: KubeObject, subject: Subject): Grant => {
    const name = String(at(binding, "roleRef", "name"));
    const isClusterRole = at(binding, "roleRef", "kind") === "ClusterRole";
    const role = isClusterRole
      ? objects.get(clusterRoles, undefined, name)
      : objects.get(roles, binding.metadata.namespace, name);
    const source = sourceOf(binding, subject);
    if (role) return { rules: listOf<Rule>(role.rules), source };
    return { rules: [], source, lack: `${isClusterRole ? "clusterrole" : "role"}.${GROUP} "${name}" not found` };
  };
  return (user, namespace) => {
    const inNamespace = namespace ? objects.list(bindings, namespace) : [];
    return [...objects.list(clusterBindings), ...inNamespace].flatMap((binding) => {
      const subject = boundSubject(binding, user);
      return subject ? [grantOf(binding, subject)] : [];
    });
  };
}

/** Joins errors as k8s.io/apimachinery/pkg/util/errors NewAggregate does. */
const aggregate = (errors: readonly string[]): string =>
  errors.length === 1 ? errors.join() : `[${errors.join(", ")}]`;

/**
 * Members of system:masters may do everything (privileged group authoriser); others have the rights of their bindings
 * (plugin/pkg/auth/authorizer/rbac/rbac.go).
 */
export function rbacAuthorizer(objects: Objects): Authorizer {
  const grants = grantsOf(objects);
  return (user, wanted) => {
    if (user.groups.includes("system:masters")) return { isAllowed: true, reason: "" };
    const found = grants(user, wanted.namespace);
    const allowing = found.find(({ rules }) => rules.some((rule) => ruleAllows(rule, wanted)));
    if (allowing) return { isAllowed: true, reason: `RBAC: allowed by ${allowing.source}` };
    const lacks = found.flatMap(({ lack }) => lack ?? []);
    return { isAllowed: false, reason: lacks.length > 0 ? `RBAC: ${aggregate(lacks)}` : "" };
  };
}
