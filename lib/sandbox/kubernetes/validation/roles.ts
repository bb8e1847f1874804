import { isDeepStrictEqual } from "node:util";
import { type Cause, required, wrong } from "../model/failure.ts";
import { at, type Fields, fieldsOf, type KubeObject, listOf } from "../model/object.ts";

const isEmpty = (value: unknown): boolean => listOf(value).length === 0;

/** Lists what is wrong with a rule on paths: it has no resources, and no namespace. */
function pathRuleCauses({ nonResourceURLs, ...rule }: Fields, kind: string, place: string): Cause[] {
  const isMixed = ["apiGroups", "resources", "resourceNames"].some((field) => !isEmpty(rule[field]));
  const faults = [
    ...(kind === "Role" ? ["namespaced rules cannot apply to non-resource URLs"] : []),
    ...(isMixed ? ["rules cannot apply to both regular resources and non-resource URLs"] : []),
  ];
  return faults.map((fault) => wrong(`${place}.nonResourceURLs`, nonResourceURLs, fault));
}

/** Lists what is wrong with a rule (k8s pkg/apis/rbac/validation ValidatePolicyRule). */
function ruleCauses(rule: Fields, kind: string, place: string): Cause[] {
  const verbs = isEmpty(rule.verbs) ? [required(`${place}.verbs`, "verbs must contain at least one value")] : [];
  if (!isEmpty(rule.nonResourceURLs)) return [...verbs, ...pathRuleCauses(rule, kind, place)];
  return [
    ...verbs,
    ...(isEmpty(rule.apiGroups)
      ? [required(`${place}.apiGroups`, "resource rules must supply at least one api group")]
      : []),
    ...(isEmpty(rule.resources)
      ? [required(`${place}.resources`, "resource rules must supply at least one resource")]
      : []),
  ];
}

/** Lists the errors of a Role or ClusterRole. */
export const roleCauses = (object: KubeObject): Cause[] =>
  listOf(at(object, "rules")).flatMap((rule, index) => ruleCauses(fieldsOf(rule), object.kind, `rules[${index}]`));

/** Lists the errors of a changed binding: its role stays (ValidateRoleBindingUpdate). */
export const bindingUpdateCauses = (before: KubeObject, after: KubeObject): Cause[] =>
  isDeepStrictEqual(before.roleRef, after.roleRef) ? [] : [wrong("roleRef", after.roleRef, "cannot change roleRef")];
