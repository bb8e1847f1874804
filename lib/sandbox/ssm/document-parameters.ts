import { AwsError } from "../core/aws-service.ts";
import type { DocumentContent, DocumentParameter } from "./documents.ts";

type Values = Readonly<Record<string, readonly string[]>>;
/** A rule: takes the values and the declared parameter, returns the fault, if any. */
type Rule = (values: readonly string[], declared: DocumentParameter) => string | undefined;

const invalid = (message: string): AwsError => new AwsError("InvalidParameters", message);

/** The service matches the whole value (Java's matches); Casement's patterns are anchored anyway. */
const matches = (pattern: string, value: string): boolean => new RegExp(`^(?:${pattern})$`, "s").test(value);

const rules: readonly Rule[] = [
  (values, { type }) => (type === "String" && values.length !== 1 ? "must have exactly one value" : undefined),
  (values, { allowedPattern: pattern }) =>
    pattern !== undefined && values.some((value) => !matches(pattern, value))
      ? `does not match the allowed pattern: ${pattern}`
      : undefined,
  (values, { allowedValues: allowed }) =>
    allowed && values.some((value) => !allowed.includes(value)) ? `is not one of ${allowed.join(", ")}` : undefined,
  (values, { maxChars }) =>
    values.some((value) => value.length > (maxChars ?? Infinity)) ? `is longer than ${maxChars} characters` : undefined,
  (values, { minChars }) =>
    values.some((value) => value.length < (minChars ?? 0)) ? `is shorter than ${minChars} characters` : undefined,
  (values, { maxItems }) => (values.length > (maxItems ?? Infinity) ? `has more than ${maxItems} items` : undefined),
  (values, { minItems }) => (values.length < (minItems ?? 0) ? `has less than ${minItems} items` : undefined),
];

function requireFitting(name: string, values: readonly string[], declared: DocumentParameter): void {
  for (const rule of rules) {
    const fault = rule(values, declared);
    if (fault !== undefined) throw invalid(`Parameter "${name}" ${fault}.`);
  }
}

const defaultOf = (declared: DocumentParameter): readonly string[] | undefined =>
  typeof declared.default === "string" ? [declared.default] : declared.default;

/**
 * Completes the parameters of a run: checks those given and adds the defaults of the rest.
 * @throws AwsError InvalidParameters for unknown, missing or invalid ones
 */
export function parametersOf(content: DocumentContent, given: Values): Values {
  const unknown = Object.keys(given).filter((name) => !(name in content.parameters));
  if (unknown.length > 0) throw invalid(`Parameters [${unknown.join(", ")}] are not defined in the document.`);
  const all = Object.entries(content.parameters).map(([name, declared]) => {
    const values = given[name] ?? defaultOf(declared);
    if (values === undefined) throw invalid(`Parameter "${name}" requires a value.`);
    requireFitting(name, values, declared);
    return [name, values] as const;
  });
  return Object.fromEntries(all);
}
