import { type Cause, required } from "../model/failure.ts";
import { at, type Fields, fieldsOf, type KubeObject, listOf } from "../model/object.ts";

const isEmpty = (value: unknown): boolean => listOf(value).length === 0;

/** Lists what a rule lacks (k8s pkg/apis/rbac/validation ValidatePolicyRule). */
function ruleCauses(rule: Fields, place: string): Cause[] {
  const verbs = isEmpty(rule.verbs) ? [required(`${place}.verbs`, "verbs must contain at least one value")] : [];
  if (!isEmpty(rule.nonResourceURLs)) return verbs;
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
  listOf(at(object, "rules")).flatMap((rule, index) => ruleCauses(fieldsOf(rule), `rules[${index}]`));
