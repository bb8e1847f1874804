import { like } from "../wildcard.ts";

/** An EventBridge event as targets receive it. */
export interface Event {
  readonly version: "0";
  readonly id: string;
  readonly "detail-type": string;
  readonly source: string;
  readonly account: string;
  /** ISO 8601, whole seconds. */
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Field → values that match, or a pattern for the fields inside (User Guide, "Event pattern syntax"). */
export interface Pattern {
  readonly [field: string]: readonly Rule[] | Pattern;
}

type Rule = string | number | boolean | null | Readonly<Record<string, unknown>>;

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

const isText = (value: unknown): value is string => typeof value === "string";

type Comparison = (value: number, limit: number) => boolean;
const comparisons: Readonly<Record<string, Comparison>> = {
  "=": (value, limit) => value === limit,
  "<": (value, limit) => value < limit,
  "<=": (value, limit) => value <= limit,
  ">": (value, limit) => value > limit,
  ">=": (value, limit) => value >= limit,
};

/** [">", 0, "<=", 5]: operators and limits in turn, all of which must hold. */
function numeric(value: unknown, conditions: readonly unknown[]): boolean {
  if (typeof value !== "number") return false;
  for (let at = 0; at < conditions.length; at += 2) {
    if (!comparisons[String(conditions[at])]?.(value, Number(conditions[at + 1]))) return false;
  }
  return true;
}

type Operator = (value: unknown, operand: unknown) => boolean;

/** User Guide, "Comparison operators for use in event patterns". */
const operators: Readonly<Record<string, Operator>> = {
  prefix: (value, start) => isText(value) && isText(start) && value.startsWith(start),
  suffix: (value, end) => isText(value) && isText(end) && value.endsWith(end),
  wildcard: (value, pattern) => isText(value) && isText(pattern) && like(pattern, value),
  numeric: (value, conditions) => numeric(value, listed(conditions)),
  "equals-ignore-case": (value, other) => isText(value) && isText(other) && value.toLowerCase() === other.toLowerCase(),
  "anything-but": (value, others) =>
    value !== undefined && !listed(others).some((other) => ruleHolds(other as Rule, value)),
  exists: (value, wanted) => (value !== undefined) === wanted,
};

function ruleHolds(rule: Rule, value: unknown): boolean {
  if (typeof rule !== "object" || rule === null) return rule === value;
  return Object.entries(rule).every(([name, operand]) => operators[name]?.(value, operand) ?? false);
}

/** A field that is a list matches when any of its members does. */
const fieldMatches = (rules: readonly Rule[], value: unknown): boolean =>
  (Array.isArray(value) ? value : [value]).some((one) => rules.some((rule) => ruleHolds(rule, one)));

const isRules = (value: readonly Rule[] | Pattern): value is readonly Rule[] => Array.isArray(value);

const inside = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

/** Does an event, or a part of one, match the pattern? Fields that the pattern does not name are ignored. */
export const matches = (pattern: Pattern, event: object): boolean =>
  Object.entries(pattern).every(([field, wanted]) => {
    const value = inside(event)[field];
    return isRules(wanted) ? fieldMatches(wanted, value) : matches(wanted, inside(value));
  });

const operatorFaults = (rule: Rule): string[] =>
  typeof rule === "object" && rule !== null ? Object.keys(rule).filter((name) => !Object.hasOwn(operators, name)) : [];

/**
 * Lists the errors of a pattern, in EventBridge's words.
 * @returns one sentence per error; none for a valid pattern
 */
export function patternFaults(pattern: Pattern): string[] {
  if (Object.keys(pattern).length === 0) return ["Event pattern is not valid. Reason: Empty pattern"];
  return Object.entries(pattern).flatMap(([field, wanted]) => {
    if (typeof wanted !== "object" || wanted === null)
      return [`Event pattern is not valid. Reason: "${field}" must be an object or an array`];
    if (!isRules(wanted)) return patternFaults(wanted);
    if (wanted.length === 0) return ["Event pattern is not valid. Reason: Empty arrays are not allowed"];
    return wanted
      .flatMap(operatorFaults)
      .map((name) => `Event pattern is not valid. Reason: Unrecognized match type ${name}`);
  });
}
