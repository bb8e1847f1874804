import { Stack } from "aws-cdk-lib";
import {
  AnyPrincipal,
  Effect,
  type IPrincipal,
  type IRole,
  Policy,
  PolicyStatement,
  ServicePrincipal,
} from "aws-cdk-lib/aws-iam";
import { flattenCfnReference } from "cdk-nag/lib/utils/flatten-cfn-reference.js";
import type { Construct } from "constructs";
import type { ResourceStatement, Statement } from "../statement.ts";
import { acknowledge } from "./acknowledge.ts";

/** Converts a statement of the reviewed list into CDK's form. */
export const policyStatement = (
  { sid, effect, actions, resources, conditions }: Statement,
  principals: IPrincipal[] = [],
): PolicyStatement =>
  new PolicyStatement({
    sid,
    effect: effect === "Deny" ? Effect.DENY : Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
    ...(conditions ? { conditions } : {}),
    ...(principals.length > 0 ? { principals } : {}),
  });

/** Converts a statement of a resource policy into CDK's form. */
export const resourceStatement = (statement: ResourceStatement): PolicyStatement =>
  policyStatement(statement, [
    statement.principal === "*" ? new AnyPrincipal() : new ServicePrincipal(statement.principal),
  ]);

/** Gives cdk-nag a reason for each resource that contains a "*": the reviewed list has one per statement. */
export function acknowledgeWildcards(construct: Construct, statements: readonly Statement[]): void {
  const flat = (resource: string): string => flattenCfnReference(Stack.of(construct).resolve(resource));
  const reasons = statements
    .filter(({ effect }) => effect !== "Deny")
    .flatMap(({ sid, resources, why }) =>
      resources
        .filter((resource) => resource.includes("*"))
        .map((resource) => [`AwsSolutions-IAM5[Resource::${flat(resource)}]`, `${sid}: ${why}`] as const),
    );
  acknowledge(construct, Object.fromEntries(reasons));
}

/** Creates the policy of a role from the statements of the reviewed list, one to one. */
export function permissionsPolicy(scope: Construct, role: IRole, statements: readonly Statement[]): Policy {
  const policy = new Policy(scope, "Permissions", {
    statements: statements.map((statement) => policyStatement(statement)),
    roles: [role],
  });
  acknowledgeWildcards(policy, statements);
  return policy;
}
