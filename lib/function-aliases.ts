import { LIVE, RIGHTS } from "../lambdas/configuration/aliases.ts";
import { functionOf, type PrincipalName, triedNames } from "./functions.ts";

/** The alias by which a function is asked to try its own rights, as far as it is asked. */
const rightsAliases = (asker: PrincipalName): readonly (readonly [string, string])[] =>
  asker === "look" ? triedNames.map((name) => [name, RIGHTS] as const) : [];

/** Workflow → the alias by which a function calls it; of others it is not told. */
export const aliasesFor = (principal: PrincipalName): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...(functionOf(principal)?.starts ?? []).map((name) => [name, LIVE]),
    ...rightsAliases(principal),
  ]);
