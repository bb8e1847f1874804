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

/** Operators of IAM conditions (IAM User Guide, "Condition operators"): set operators come before, IfExists behind. */
export type ConditionOperator =
  | `${"" | "ForAllValues:" | "ForAnyValue:"}${Comparison | NumericComparison}${"" | "IfExists"}`
  | "Null";

/** Condition operator → condition key → allowed values. */
export type Conditions = Partial<Record<ConditionOperator, Readonly<Record<string, string | readonly string[]>>>>;

/** One statement of a policy: everything is denied that no statement allows, or that any statement denies. */
export interface Statement {
  readonly sid: string;
  /** Left out: Allow. */
  readonly effect?: "Deny";
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Conditions;
  /** Reason why it may be as wide as it is; required where a resource of an allowing statement holds a star. */
  readonly why?: string;
}

/** A statement of a resource's own policy, which also names whom it is about. */
export interface ResourceStatement extends Statement {
  /** An AWS service, "events.amazonaws.com", or "*" for every principal. */
  readonly principal: string;
}
