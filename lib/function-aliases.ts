import { LIVE, RIGHTS } from "../lambdas/configuration/aliases.ts";
import { functionOf, type PrincipalName, triedNames } from "./functions.ts";

/** Aliases that the asker invokes to let functions try their own rights; empty for principals that ask none. */
const rightsAliases = (asker: PrincipalName): readonly (readonly [string, string])[] =>
  asker === "look" ? triedNames.map((name) => [name, RIGHTS] as const) : [];

/** Workflow → the alias by which a function calls it; only the workflows that it calls. */
export const aliasesFor = (principal: PrincipalName): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...(functionOf(principal)?.starts ?? []).map((name) => [name, LIVE]),
    ...rightsAliases(principal),
  ]);
