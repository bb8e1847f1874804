import { badRequest } from "../model/failure.ts";
import { at, type KubeObject } from "../model/object.ts";
import type { LabelSelector } from "../model/shapes.ts";

type Labels = Readonly<Record<string, string>>;
type Test = (labels: Labels) => boolean;

const operators: Readonly<Record<string, (key: string, values: readonly string[]) => Test>> = {
  In: (key, values) => (labels) => values.includes(labels[key] ?? "\0"),
  NotIn: (key, values) => (labels) => !values.includes(labels[key] ?? "\0"),
  Exists: (key) => (labels) => key in labels,
  DoesNotExist: (key) => (labels) => !(key in labels),
};

const test = (operator: string, key: string, values: readonly string[] = []): Test =>
  operators[operator]?.(key, values) ?? (() => false);

/** Does a selector object (matchLabels, matchExpressions) match these labels? An empty one matches everything. */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (!selector) return false;
  const equal = Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value);
  return equal && (selector.matchExpressions ?? []).every((one) => test(one.operator, one.key, one.values)(labels));
}

const forms: readonly [RegExp, (parts: string[]) => Test][] = [
  [/^([^\s=!(),]+)\s+in\s+\(([^()]*)\)$/, ([key = "", values = ""]) => test("In", key, split(values))],
  [/^([^\s=!(),]+)\s+notin\s+\(([^()]*)\)$/, ([key = "", values = ""]) => test("NotIn", key, split(values))],
  [/^([^\s=!(),]+)\s*!=\s*([^\s=!(),]*)$/, ([key = "", value = ""]) => test("NotIn", key, [value])],
  [/^([^\s=!(),]+)\s*==?\s*([^\s=!(),]*)$/, ([key = "", value = ""]) => test("In", key, [value])],
  [/^!\s*([^\s=!(),]+)$/, ([key = ""]) => test("DoesNotExist", key)],
  [/^([^\s=!(),]+)$/, ([key = ""]) => test("Exists", key)],
];

const split = (values: string): string[] => values.split(",").map((value) => value.trim());

/** Splits at commas outside parentheses. */
const requirements = (text: string): string[] =>
  text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter(Boolean);

function requirementOf(text: string): Test {
  for (const [form, build] of forms) {
    const found = form.exec(text);
    if (found) return build(found.slice(1));
  }
  throw badRequest(`unable to parse requirement: found '${text}', expected: identifier`);
}

/**
 * Reads the labelSelector parameter: equality and set terms joined by commas.
 * @throws 400 for an invalid selector
 */
export function labelSelector(text: string): (object: KubeObject) => boolean {
  const tests = requirements(text).map(requirementOf);
  return ({ metadata }) => tests.every((one) => one(metadata.labels ?? {}));
}

const involved = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** Fields that a type can be selected by, beside metadata.name and metadata.namespace (k8s pkg/registry). */
const selectable: Readonly<Record<string, readonly string[]>> = {
  pods: [
    "spec.nodeName",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.nominatedNodeName",
  ],
  nodes: ["spec.unschedulable"],
  namespaces: ["status.phase"],
  events: [...involved.map((field) => `involvedObject.${field}`), "reason", "reportingComponent", "source", "type"],
  secrets: ["type"],
  certificatesigningrequests: ["spec.signerName"],
  replicasets: ["status.replicas"],
  jobs: ["status.successful"],
};

/** Path of a field with another name (k8s pkg/registry/core/event ToSelectableFields). */
const places: Readonly<Record<string, readonly string[]>> = { source: ["source", "component"] };

/** Value of an absent field. */
const absent: Readonly<Record<string, string>> = { "spec.unschedulable": "false", "spec.hostNetwork": "false" };

function fieldTest(plural: string, term: string): (object: KubeObject) => boolean {
  const found = /^([^=!]+)(==|=|!=)(.*)$/.exec(term);
  if (!found) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
  const [, field = "", operator, value = ""] = found;
  const known = ["metadata.name", "metadata.namespace", ...(selectable[plural] ?? [])];
  if (!known.includes(field)) throw badRequest(`field label not supported: ${field}`);
  return (object) => {
    const actual = String(at(object, ...(places[field] ?? field.split("."))) ?? absent[field] ?? "");
    return (actual === value) === (operator !== "!=");
  };
}

/**
 * Reads the fieldSelector parameter for a type.
 * @throws 400 for a field that the type cannot be selected by
 */
export function fieldSelector(plural: string, text: string): (object: KubeObject) => boolean {
  const tests = text
    .split(",")
    .filter(Boolean)
    .map((term) => fieldTest(plural, term));
  return (object) => tests.every((one) => one(object));
}
