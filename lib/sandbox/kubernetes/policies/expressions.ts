import { Environment } from "@marcbachmann/cel-js";
import { messageOf } from "../../../message-of.ts";
import type { Attempt } from "../access/admission.ts";
import { at, type Fields, isFields, type KubeObject } from "../model/object.ts";

/**
 * The variables that a policy's expressions may use (Kubernetes documentation, "Validating Admission Policy"). `params` and
 * `authorizer` are not among them: the simulated server has neither, and refuses a policy that names one.
 */
const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
  .registerVariable("object", "dyn")
  .registerVariable("oldObject", "dyn")
  .registerVariable("request", "dyn")
  .registerVariable("namespaceObject", "dyn")
  .registerVariable("variables", "dyn");

/** Variables on which an expression is evaluated. */
export type Scope = Readonly<Record<string, unknown>>;

/** Converts values: the API server's integers are CEL's ints, which are bigints in the library. */
function celValue(value: unknown): unknown {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  if (Array.isArray(value)) return value.map(celValue);
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, celValue(inner)]));
}

/** Drops empty fields, as the API's JSON of an AdmissionRequest does. */
const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== ""));

/** Describes the request under admission as an AdmissionRequest does. */
function requestOf({ user, type, subresource, namespace, name, operation }: Attempt): Fields {
  const { group, version, kind, plural } = type;
  return present({
    kind: { group, version, kind },
    resource: { group, version, resource: plural },
    subResource: subresource,
    name,
    namespace,
    operation,
    userInfo: present({ username: user.name, uid: user.uid, groups: user.groups, extra: user.extra }),
  });
}

/** Adds a field that is computed at its first read: most attempts are decided by one condition on `request`. */
function lazily(target: object, name: string, make: () => unknown): void {
  let known: { readonly value: unknown } | undefined;
  Object.defineProperty(target, name, {
    enumerable: true,
    get: () => {
      known ??= { value: make() };
      return known.value;
    },
  });
}

/**
 * Builds the variables of an attempt for the expressions of one policy.
 * @param own the policy's variables
 */
export function scopeOf(
  attempt: Attempt,
  namespaceObject: KubeObject | undefined,
  own: readonly { readonly name: string; readonly expression: string }[],
): Scope {
  const variables = {};
  const scope = { variables };
  lazily(scope, "object", () => celValue(attempt.after ?? null));
  lazily(scope, "oldObject", () => celValue(attempt.before ?? null));
  lazily(scope, "request", () => celValue(requestOf(attempt)));
  lazily(scope, "namespaceObject", () => celValue(namespaceObject ?? null));
  for (const { name, expression } of own) lazily(variables, name, () => evaluate(expression, scope));
  return scope;
}

/** Outcome of an expression: its value, or the error that prevented one, in the words of the API server. */
export type Outcome = { readonly value: unknown } | { readonly error: string };

const firstLine = (error: unknown): string => messageOf(error).split("\n", 1)[0] ?? "";

const compiled = new Map<string, ReturnType<typeof environment.parse>>();

/** Each expression is parsed once. */
function evaluate(expression: string, scope: Scope): unknown {
  const known = compiled.get(expression) ?? environment.parse(expression);
  compiled.set(expression, known);
  return known(scope);
}

/** Evaluates an expression; its error is an outcome, not a throw. */
export function outcomeOf(expression: string, scope: Scope): Outcome {
  try {
    return { value: evaluate(expression, scope) };
  } catch (error) {
    return { error: `expression '${expression.trim()}' resulted in error: ${firstLine(error)}` };
  }
}

/**
 * Finds the reason why an expression does not compile.
 * @returns the compiler's message; undefined when it compiles
 */
export function compileFault(expression: unknown): string | undefined {
  if (typeof expression !== "string" || expression.trim() === "") return "expression is not specified";
  const checked = environment.check(expression);
  return checked.valid ? undefined : `compilation failed: ${firstLine(checked.error)}`;
}

/** Lists the expressions in a list of `{ expression }`, with their fields' paths. */
export const expressionsIn = (
  list: unknown,
  path: string,
): { readonly field: string; readonly expression: unknown }[] =>
  (Array.isArray(list) ? list : []).map((one, index) => ({
    field: `${path}[${index}].expression`,
    expression: at(one, "expression"),
  }));
