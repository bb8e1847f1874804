import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** Suppresses findings of cdk-nag with a reason each: rule (or `rule[finding]`) → reason. */
export const acknowledge = (construct: IConstruct, findings: Readonly<Record<string, string>>): void =>
  Validations.of(construct).acknowledge(...Object.entries(findings).map(([id, reason]) => ({ id, reason })));
