import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** Says why findings of cdk-nag are right as they are: rule (or `rule[finding]`) → reason. */
export const acknowledge = (construct: IConstruct, findings: Readonly<Record<string, string>>): void =>
  Validations.of(construct).acknowledge(...Object.entries(findings).map(([id, reason]) => ({ id, reason })));
