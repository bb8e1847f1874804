import { type Cause, required, unsupported, wrong } from "../model/failure.ts";
import { at, type Fields, fieldsOf, type KubeObject, listOf } from "../model/object.ts";
import { compileFault, expressionsIn } from "./expressions.ts";

/** Refuses fields that a real server evaluates and this one does not, instead of ignoring them. */
const unevaluated = (spec: Fields, ...fields: readonly string[]): Cause[] =>
  fields
    .filter((field) => spec[field] !== undefined)
    .map((field) => wrong(`spec.${field}`, spec[field], "the simulated API server does not evaluate it"));

const EXPRESSIONS = ["matchConditions", "variables", "validations"];

const messageExpressions = (object: KubeObject): { field: string; expression: unknown }[] =>
  listOf(at(object, "spec", "validations")).flatMap((validation, index) => {
    const expression = at(validation, "messageExpression");
    return expression === undefined ? [] : [{ field: `spec.validations[${index}].messageExpression`, expression }];
  });

/**
 * Lists the errors of a ValidatingAdmissionPolicy: every expression must compile (k8s
 * pkg/apis/admissionregistration/validation).
 */
export function policyCauses(object: KubeObject): Cause[] {
  const spec = fieldsOf(object.spec);
  const rules = listOf(at(spec, "matchConstraints", "resourceRules"));
  const all = [
    ...EXPRESSIONS.flatMap((list) => expressionsIn(spec[list], `spec.${list}`)),
    ...messageExpressions(object),
  ];
  return [
    ...(rules.length > 0 ? [] : [required("spec.matchConstraints.resourceRules")]),
    ...(listOf(spec.validations).length > 0
      ? []
      : [required("spec.validations", "validations or auditAnnotations must contain at least one item")]),
    ...all.flatMap(({ field, expression }) => {
      const fault = compileFault(expression);
      return fault ? [wrong(field, expression, fault)] : [];
    }),
    ...unevaluated(spec, "paramKind", "auditAnnotations"),
  ];
}

/** Lists the errors of a ValidatingAdmissionPolicyBinding. */
export function bindingCauses(object: KubeObject): Cause[] {
  const spec = fieldsOf(object.spec);
  const actions = listOf<string>(spec.validationActions);
  return [
    ...(spec.policyName ? [] : [required("spec.policyName")]),
    ...(actions.length > 0 ? [] : [required("spec.validationActions")]),
    ...actions
      .filter((action) => action !== "Deny")
      .map((action) => unsupported("spec.validationActions", action, ["Deny"])),
    ...unevaluated(spec, "paramRef"),
  ];
}
