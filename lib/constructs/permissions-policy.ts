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

/** A statement of the reviewed list as CDK writes it, one to one. */
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

/** A statement of a resource's own policy. */
export const resourceStatement = (statement: ResourceStatement): PolicyStatement =>
  policyStatement(statement, [
    statement.principal === "*" ? new AnyPrincipal() : new ServicePrincipal(statement.principal),
  ]);

/** cdk-nag asks for a reason behind each resource that holds a "*": the reviewed list has one per statement. */
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

/** The policy of a role: the statements of the reviewed list, one to one. */
export function permissionsPolicy(scope: Construct, role: IRole, statements: readonly Statement[]): Policy {
  const policy = new Policy(scope, "Permissions", {
    statements: statements.map((statement) => policyStatement(statement)),
    roles: [role],
  });
  acknowledgeWildcards(policy, statements);
  return policy;
}
