import { type Cause, required, wrong } from "../model/failure.ts";
import { at, fieldsOf, type KubeObject } from "../model/object.ts";
import type { LabelSelector } from "../model/shapes.ts";
import { matchesSelector } from "../request/selectors.ts";
import { podSpecCauses } from "./pods.ts";

/** Lists the errors of a ReplicaSet, Deployment, StatefulSet or DaemonSet. */
export function workloadCauses(object: KubeObject): Cause[] {
  const selector = at(object, "spec", "selector");
  const labels = fieldsOf(at(object, "spec", "template", "metadata", "labels")) as Record<string, string>;
  const template = podSpecCauses(at(object, "spec", "template", "spec"), "spec.template.spec");
  if (!selector) return [required("spec.selector"), ...template];
  if (matchesSelector(selector as LabelSelector, labels)) return template;
  return [wrong("spec.template.metadata.labels", labels, "`selector` does not match template `labels`"), ...template];
}

const counts = ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"];

/** Lists the negative numbers in a budget's status (ValidatePodDisruptionBudgetStatusUpdate). */
const statusCauses = (object: KubeObject): Cause[] =>
  counts
    .map((field): [string, unknown] => [`status.${field}`, at(object, "status", field)])
    .filter(([, value]) => Number(value) < 0)
    .map(([field, value]) => wrong(field, value, "must be greater than or equal to 0"));

const amount = /^(\d+|\d+%)$/;

/** Lists the errors of a PodDisruptionBudget. */
export function budgetCauses(object: KubeObject): Cause[] {
  const { minAvailable, maxUnavailable } = fieldsOf(object.spec);
  const both = minAvailable !== undefined && maxUnavailable !== undefined;
  const given = Object.entries({ minAvailable, maxUnavailable }).filter(([, value]) => value !== undefined);
  return [
    ...(both ? [wrong("spec", object.spec, "minAvailable and maxUnavailable cannot be both set")] : []),
    ...given
      .filter(([, value]) => !amount.test(String(value)))
      .map(([field, value]) => wrong(`spec.${field}`, value, "must be an integer or percentage (e.g '5%%')")),
    ...statusCauses(object),
  ];
}
