import type { V1LabelSelector } from "@kubernetes/client-node";

/** Labels of an object, by key. */
export type Labels = Readonly<Record<string, string>>;

/** A requirement of a label selector, or of a node selector, which has two more operators. */
interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/**
 * Operators of both kinds of selectors (k8s.io/apimachinery pkg/labels; Gt and Lt: k8s.io/api/core/v1
 * NodeSelectorOperator).
 */
const operators: Readonly<Record<string, (value: string | undefined, values: readonly string[]) => boolean>> = {
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
  Gt: (value, [limit]) => value !== undefined && Number(value) > Number(limit),
  Lt: (value, [limit]) => value !== undefined && Number(value) < Number(limit),
};

/** Do the labels meet a requirement? No labels meet one with an unknown operator. */
export const meets = (labels: Labels, { key, operator, values = [] }: Requirement): boolean =>
  operators[operator]?.(labels[key], values) ?? false;

/** Does a selector match an object with these labels? `{}` matches every object, no selector matches none. */
export function selects(selector: V1LabelSelector | undefined, labels: Labels = {}): boolean {
  if (!selector) return false;
  return (
    Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value) &&
    (selector.matchExpressions ?? []).every((requirement) => meets(labels, requirement))
  );
}
