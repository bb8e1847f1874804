import type { ConditionOperator, Conditions, ResourceStatement, Statement } from "../../statement.ts";
import type { Context } from "../core/aws-service.ts";
import { like } from "./wildcard.ts";

/** One question to IAM: may this action be done to this resource in this context? */
export interface Question {
  /** "ec2:RunInstances" */
  readonly action: string;
  /** ARN, or "*" for actions that take no resource. */
  readonly resource: string;
  readonly context: Context;
}

/** The requester as a resource's policy names principals: a role of the account, or an AWS service. */
export type Requester = "role" | `${string}.amazonaws.com`;

/** IAM's decision, with the source of a denial. */
export type Decision = "allowed" | "not allowed" | "denied by identity" | "denied by resource";

/**
 * Condition keys with several values, of those that the simulated services supply or Casement's statements use (Service
 * Authorization Reference of September 2026: type ArrayOfString). IAM compares them with ForAllValues or ForAnyValue; a
 * plain operator does not match.
 */
const arrays: ReadonlySet<string> = new Set([
  "aws:tagkeys",
  "dynamodb:attributes",
  "dynamodb:leadingkeys",
  "events:detail-type",
  "events:source",
  "kms:encryptioncontextkeys",
  "kms:grantoperations",
]);

/** The values of a key, compared without regard to case; undefined where the request does not have it. */
function valuesFor(context: Context, key: string): readonly string[] | undefined {
  const name = Object.keys(context).find((candidate) => candidate.toLowerCase() === key.toLowerCase());
  const value = name === undefined ? undefined : context[name];
  if (value === undefined) return undefined;
  const isArray = arrays.has(key.toLowerCase());
  if (Array.isArray(value) && !isArray) throw new Error(`${key} has one value, a service of the sandbox gave several`);
  return typeof value === "string" ? [value] : (value as readonly string[]);
}

/**
 * Policy variables (IAM User Guide, "Policy variables"): their names are compared without regard to case.
 * @returns undefined where the request lacks one: the text then matches nothing
 */
function filled(text: string, context: Context): string | undefined {
  let known = true;
  const result = text.replace(/\$\{([^}]+)\}/g, (_, key: string) => {
    const values = valuesFor(context, key);
    if (values?.length !== 1) known = false;
    return values?.[0] ?? "";
  });
  return known ? result : undefined;
}

/** Splits an ARN into its first five parts and the rest, which may contain colons. */
const partsOf = (arn: string): string[] => {
  const parts = arn.split(":");
  return [...parts.slice(0, 5), parts.slice(5).join(":")];
};

/** Compares ARNs part by part: a star does not match a colon except in the last part (IAM User Guide, "Resource"). */
function arnLike(pattern: string, arn: string): boolean {
  if (pattern === "*") return true;
  const [wanted, given] = [partsOf(pattern), partsOf(arn)];
  return wanted.every((part, at) => like(part, given[at] ?? ""));
}

type Compare = (wanted: string, value: string) => boolean;

const numbers =
  (compare: (wanted: number, value: number) => boolean): Compare =>
  (wanted, value) =>
    wanted !== "" && value !== "" && compare(Number(wanted), Number(value));

interface Comparison {
  readonly compare: Compare;
  readonly negated?: true;
}

/** IAM User Guide, "IAM JSON policy elements: Condition operators". */
const comparisons: Readonly<Record<string, Comparison>> = {
  StringEquals: { compare: (wanted, value) => wanted === value },
  StringNotEquals: { compare: (wanted, value) => wanted === value, negated: true },
  StringLike: { compare: like },
  StringNotLike: { compare: like, negated: true },
  ArnEquals: { compare: arnLike },
  ArnLike: { compare: arnLike },
  ArnNotLike: { compare: arnLike, negated: true },
  Bool: { compare: (wanted, value) => wanted.toLowerCase() === value.toLowerCase() },
  NumericEquals: { compare: numbers((wanted, value) => value === wanted) },
  NumericLessThan: { compare: numbers((wanted, value) => value < wanted) },
  NumericLessThanEquals: { compare: numbers((wanted, value) => value <= wanted) },
};

const OPERATOR = /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/;

function operatorOf(name: ConditionOperator) {
  const [, set, base = "", ifExists] = OPERATOR.exec(name) ?? [];
  const comparison = comparisons[base];
  if (!comparison) throw new Error(`the sandbox's IAM knows no operator ${name}`);
  return { set, ...comparison, absent: ifExists !== undefined || set === "ForAllValues" };
}

const listed = (value: string | readonly string[]): readonly string[] => (typeof value === "string" ? [value] : value);

function conditionHolds(name: ConditionOperator, key: string, wanted: readonly string[], context: Context): boolean {
  const values = valuesFor(context, key);
  if (name === "Null") return (values === undefined) === (wanted[0] === "true");
  const { set, compare, negated, absent } = operatorOf(name);
  // An absent key fulfils a negated operator, and nothing else (the same page, "…IfExists" and "Set operators").
  if (values === undefined) return absent || (negated === true && set === undefined);
  if (set === undefined && arrays.has(key.toLowerCase())) return false;
  const patterns = wanted.map((pattern) => filled(pattern, context));
  if (negated && patterns.includes(undefined)) return false;
  const matches = (value: string): boolean =>
    patterns.some((pattern) => pattern !== undefined && compare(pattern, value)) !== (negated === true);
  return set === "ForAllValues" ? values.every(matches) : values.some(matches);
}

const conditionsHold = (conditions: Conditions, context: Context): boolean =>
  Object.entries(conditions).every(([name, keys]) =>
    Object.entries(keys).every(([key, wanted]) =>
      conditionHolds(name as ConditionOperator, key, listed(wanted), context),
    ),
  );

/** Does the statement apply to this question? */
const applies = (statement: Statement, { action, resource, context }: Question): boolean =>
  statement.actions.some((one) => like(one, action, "i")) &&
  statement.resources.some((one) => {
    const pattern = filled(one, context);
    return pattern !== undefined && arnLike(pattern, resource);
  }) &&
  conditionsHold(statement.conditions ?? {}, context);

const denies = ({ effect }: Statement): boolean => effect === "Deny";

/** Does a resource's statement name this requester? */
const names = ({ principal }: ResourceStatement, requester: Requester): boolean =>
  principal === "*" || principal === requester;

/**
 * IAM's decision inside one account (IAM User Guide, "Policy evaluation logic"): only what a statement allows is
 * allowed, and what any statement denies is denied.
 * @param identity statements of the requester's role; a service has none
 * @param resource statements of resources' own policies
 */
export function decide(
  identity: readonly Statement[],
  resource: readonly ResourceStatement[],
  question: Question,
  requester: Requester = "role",
): Decision {
  const ours = identity.filter((statement) => applies(statement, question));
  const theirs = resource.filter((statement) => names(statement, requester) && applies(statement, question));
  if (ours.some(denies)) return "denied by identity";
  if (theirs.some(denies)) return "denied by resource";
  return ours.length + theirs.length > 0 ? "allowed" : "not allowed";
}

/** Do these statements of a role allow it, for a resource without a policy? */
export const allows = (statements: readonly Statement[], question: Question): boolean =>
  decide(statements, [], question) === "allowed";
