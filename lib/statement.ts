type Comparison =
  | "StringEquals"
  | "StringNotEquals"
  | "StringLike"
  | "StringNotLike"
  | "ArnEquals"
  | "ArnLike"
  | "ArnNotLike"
  | "Bool";
type NumericComparison = "NumericEquals" | "NumericLessThan" | "NumericLessThanEquals";

/** Operators of IAM conditions (IAM User Guide, "Condition operators"): set operators as prefix, IfExists as suffix. */
export type ConditionOperator =
  | `${"" | "ForAllValues:" | "ForAnyValue:"}${Comparison | NumericComparison}${"" | "IfExists"}`
  | "Null";

/** Condition operator → condition key → allowed values. */
export type Conditions = Partial<Record<ConditionOperator, Readonly<Record<string, string | readonly string[]>>>>;

/** One statement of a policy. An action is denied if no statement allows it, or if any statement denies it. */
export interface Statement {
  readonly sid: string;
  /** Default: Allow. */
  readonly effect?: "Deny";
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Conditions;
  /** Reason for a wide scope; required if a resource of an allowing statement contains a star. */
  readonly why?: string;
}

/** A statement of a resource policy, which also names the principal. */
export interface ResourceStatement extends Statement {
  /** An AWS service, "events.amazonaws.com", or "*" for every principal. */
  readonly principal: string;
}
