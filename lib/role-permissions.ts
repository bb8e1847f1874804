import { asynchronousNames, callsKubernetes, type PrincipalName } from "./functions.ts";
import { permissions, principals } from "./permissions.ts";
import { filled, type Place, type ServicePlace } from "./place.ts";
import { type PolicyHolder, resourcePolicies } from "./resource-policies.ts";
import { keepFailedEvents, leaveNetworkToLambda, plugIntoVpc, writeOwnLog } from "./service-statements.ts";
import type { ResourceStatement, Statement } from "./statement.ts";

/** Roles that are no function's. */
const noFunction: ReadonlySet<string> = new Set<PrincipalName>(["publisher", "node"]);

/** Permissions that AWS's services use by a function's role; the role holds them before there is a function. */
const serviceStatements = (principal: PrincipalName, inVpc: boolean): readonly Statement[] => {
  if (noFunction.has(principal)) return [];
  const asynchronous = asynchronousNames.some((name) => name === principal);
  return [
    writeOwnLog(principal),
    ...(asynchronous ? [keepFailedEvents(principal)] : []),
    ...(inVpc && callsKubernetes(principal) ? [plugIntoVpc] : []),
  ];
};

/** Permissions granted to a function's code, and those of its role that the code is denied. */
const codeStatements = (principal: PrincipalName, inVpc: boolean): readonly Statement[] => [
  ...permissions[principal],
  ...(inVpc && callsKubernetes(principal) ? [leaveNetworkToLambda(principal)] : []),
];

/** Permissions that a function's role must hold before the function can be made. */
export const servicePermissionsFor = (principal: PrincipalName, place: ServicePlace): readonly Statement[] =>
  filled(serviceStatements(principal, place.functionsInVpc), place);

/** Permissions of a function's code, and denials of its role's further ones: the stack adds them once it knows all names. */
export const codePermissionsFor = (principal: PrincipalName, place: Place): readonly Statement[] =>
  // A statement for what is not configured, such as a key of volumes, has no resource left.
  filled(codeStatements(principal, place.functionsInVpc), place).filter(({ resources }) => resources.length > 0);

/**
 * The permissions of one cluster's stack.
 * @param place fills the statements' placeholders; one with `${subnet}` is repeated for each of the pools' subnets
 * @returns every statement that the role of each principal holds, allowing or denying
 */
export function permissionsFor(place: Place): Readonly<Record<PrincipalName, readonly Statement[]>> {
  const statementsOf = (principal: PrincipalName): readonly Statement[] => [
    ...servicePermissionsFor(principal, place),
    ...codePermissionsFor(principal, place),
  ];
  return Object.fromEntries(principals.map((principal) => [principal, statementsOf(principal)]) as unknown[][]);
}

/**
 * The policies that the stack's resources carry themselves.
 * @returns what each of them allows and denies to whom
 */
export const resourcePoliciesFor = (
  place: Place,
): Readonly<Partial<Record<PolicyHolder, readonly ResourceStatement[]>>> => filled(resourcePolicies, place);
