import { asynchronousNames, callsKubernetes, type PrincipalName } from "./functions.ts";
import { keyStatements } from "./key-statements.ts";
import { permissions, principals } from "./permissions.ts";
import { fillPlaceholders, type Place, type ServicePlace } from "./place.ts";
import { type PolicyHolder, resourcePolicies } from "./resource-policies.ts";
import { keepFailedEvents, leaveNetworkToLambda, plugIntoVpc, writeOwnLog } from "./service-statements.ts";
import type { ResourceStatement, Statement } from "./statement.ts";

/** Roles that belong to no function. */
const noFunction: ReadonlySet<string> = new Set<PrincipalName>(["publisher", "node"]);

/**
 * Permissions that AWS services use through a function's role. The role has them before the function is created, and its
 * rights to the customer's key before a deployment encrypts table and secrets with it.
 */
const serviceStatements = (principal: PrincipalName, inVpc: boolean): readonly Statement[] => {
  if (noFunction.has(principal)) return [];
  const asynchronous = asynchronousNames.some((name) => name === principal);
  const statements = [
    writeOwnLog(principal),
    ...(asynchronous ? [keepFailedEvents(principal)] : []),
    ...(inVpc && callsKubernetes(principal) ? [plugIntoVpc] : []),
  ];
  return [...statements, ...keyStatements([...permissions[principal], ...statements])];
};

/** Permissions of a function's code, and denials of its role's permissions that only AWS services need. */
const codeStatements = (principal: PrincipalName, inVpc: boolean): readonly Statement[] => [
  ...permissions[principal],
  ...(noFunction.has(principal) ? keyStatements(permissions[principal]) : []),
  ...(inVpc && callsKubernetes(principal) ? [leaveNetworkToLambda(principal)] : []),
];

/** Drops statements for something that is not configured, such as a key for volumes: they have no resource left. */
const applicable = (statements: readonly Statement[]): readonly Statement[] =>
  statements.filter(({ resources }) => resources.length > 0);

/** Permissions that a function's role must have before the function can be created. */
export const servicePermissionsFor = (principal: PrincipalName, place: ServicePlace): readonly Statement[] =>
  applicable(fillPlaceholders(serviceStatements(principal, place.functionsInVpc), place));

/** Permissions and denials for a function's code. The stack adds them once all names are known. */
export const codePermissionsFor = (principal: PrincipalName, place: Place): readonly Statement[] =>
  applicable(fillPlaceholders(codeStatements(principal, place.functionsInVpc), place));

/**
 * Builds the permissions of one cluster's stack.
 * @param place fills the statements' placeholders; an entry with `${subnet}` is repeated for each subnet of the pools
 * @returns principal → all statements of its role, allowing and denying
 */
export function permissionsFor(place: Place): Readonly<Record<PrincipalName, readonly Statement[]>> {
  const statementsOf = (principal: PrincipalName): readonly Statement[] => [
    ...servicePermissionsFor(principal, place),
    ...codePermissionsFor(principal, place),
  ];
  return Object.fromEntries(principals.map((principal) => [principal, statementsOf(principal)]) as unknown[][]);
}

/**
 * Builds the resource policies of one cluster's stack.
 * @returns resource → the statements of its policy
 */
export const resourcePoliciesFor = (
  place: Place,
): Readonly<Partial<Record<PolicyHolder, readonly ResourceStatement[]>>> => fillPlaceholders(resourcePolicies, place);
