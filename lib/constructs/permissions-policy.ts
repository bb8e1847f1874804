import { Stack } from "aws-cdk-lib";
import { type IRole, Policy, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { flattenCfnReference } from "cdk-nag/lib/utils/flatten-cfn-reference.js";
import type { Construct } from "constructs";
import type { Statement } from "../statement.ts";
import { acknowledge } from "./acknowledge.ts";

const allow = ({ sid, actions, resources, conditions }: Statement): PolicyStatement =>
  new PolicyStatement({
    sid,
    actions: [...actions],
    resources: [...resources],
    ...(conditions ? { conditions } : {}),
  });

/** cdk-nag asks for a reason behind each resource that holds a "*": the reviewed list has one per statement. */
function wildcards(scope: Construct, statements: readonly Statement[]): Record<string, string> {
  const flat = (resource: string): string => flattenCfnReference(Stack.of(scope).resolve(resource));
  const reasons = statements.flatMap(({ sid, resources, why }) =>
    resources
      .filter((resource) => resource.includes("*"))
      .map((resource) => [`AwsSolutions-IAM5[Resource::${flat(resource)}]`, `${sid}: ${why}`] as const),
  );
  return Object.fromEntries(reasons);
}

/**
 * The policy of a role: the statements of the reviewed list, one to one.
 * @param more statements that take something away
 */
export function permissionsPolicy(
  scope: Construct,
  role: IRole,
  statements: readonly Statement[],
  more: readonly PolicyStatement[] = [],
): Policy {
  const policy = new Policy(scope, "Permissions", { statements: [...statements.map(allow), ...more], roles: [role] });
  acknowledge(policy, wildcards(scope, statements));
  return policy;
}
