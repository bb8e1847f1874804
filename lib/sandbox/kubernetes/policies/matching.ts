import type { Attempt } from "../access/admission.ts";
import type { KubeObject } from "../model/object.ts";
import type { LabelSelector } from "../model/shapes.ts";
import { matchesSelector } from "../request/selectors.ts";

/** One line of `resourceRules`. */
interface ResourceRule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly operations?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly scope?: string;
}

/** `matchConstraints` of a policy, or `matchResources` of a binding. */
export interface MatchResources {
  readonly resourceRules?: readonly ResourceRule[];
  readonly excludeResourceRules?: readonly ResourceRule[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
}

const has = (list: readonly string[] | undefined, value: string): boolean =>
  list?.includes("*") === true || list?.includes(value) === true;

/** k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules: "nodes/*" includes the object itself. */
function coversResource(pattern: string, { type, subresource }: Attempt): boolean {
  const [resource, sub = ""] = pattern.split("/");
  return (resource === "*" || resource === type.plural) && (sub === "*" || sub === subresource);
}

const inScope = (scope: string | undefined, { type }: Attempt): boolean =>
  scope === undefined || scope === "*" || (scope === "Namespaced") === type.namespaced;

const covers = (rule: ResourceRule, attempt: Attempt): boolean =>
  has(rule.apiGroups, attempt.type.group) &&
  has(rule.apiVersions, attempt.type.version) &&
  has(rule.operations, attempt.operation) &&
  (rule.resources ?? []).some((pattern) => coversResource(pattern, attempt)) &&
  (!rule.resourceNames?.length || rule.resourceNames.includes(attempt.name)) &&
  inScope(rule.scope, attempt);

/** Does the selector match? Either state of the object may have the labels. */
const selected = (selector: LabelSelector | undefined, ...objects: (KubeObject | undefined)[]): boolean =>
  selector === undefined ||
  objects.some((object) => object !== undefined && matchesSelector(selector, object.metadata.labels));

/**
 * Does a policy or binding apply to this attempt?
 * @param wanted undefined matches everything (a binding without `matchResources`)
 * @param namespace the Namespace of the object; objects without one match every namespace selector
 */
export function matches(
  wanted: MatchResources | undefined,
  attempt: Attempt,
  namespace: KubeObject | undefined,
): boolean {
  if (!wanted) return true;
  const { resourceRules, excludeResourceRules = [], namespaceSelector, objectSelector } = wanted;
  return (
    (resourceRules === undefined || resourceRules.some((rule) => covers(rule, attempt))) &&
    !excludeResourceRules.some((rule) => covers(rule, attempt)) &&
    (namespace === undefined || selected(namespaceSelector, namespace)) &&
    selected(objectSelector, attempt.after, attempt.before)
  );
}
