/** Operators of IAM conditions that our statements use. */
export type ConditionOperator =
  | "StringEquals"
  | "StringNotEquals"
  | "StringLike"
  | "StringEqualsIfExists"
  | "ArnLike"
  | "ArnEquals"
  | "Bool"
  | "Null"
  | "ForAllValues:StringEquals"
  | "ForAllValues:StringLike"
  | "ForAnyValue:StringEquals";

/** Condition operator → condition key → allowed values. */
export type Conditions = Partial<Record<ConditionOperator, Readonly<Record<string, string | readonly string[]>>>>;

/** One permission: everything is denied that no statement allows. */
export interface Statement {
  readonly sid: string;
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Conditions;
  /** Why it may be as wide as it is; required where a resource is "*". */
  readonly why?: string;
}
