import { APPEND_AUDIT, isAppender } from "../lambdas/audit/appenders.ts";
import { LIVE, RIGHTS } from "../lambdas/configuration/aliases.ts";
import { functionOf, type PrincipalName, triedNames } from "./functions.ts";

/** Aliases that the asker invokes to let functions try their own rights; empty for principals that ask none. */
const rightsAliases = (asker: PrincipalName): readonly (readonly [string, string])[] =>
  asker === "look" ? triedNames.map((name) => [name, RIGHTS] as const) : [];

/** Function → the alias by which another one calls it; only the functions that this one calls. */
export const aliasesFor = (principal: PrincipalName): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...(functionOf(principal)?.starts ?? []).map((name) => [name, LIVE]),
    ...rightsAliases(principal),
    ...(isAppender(principal) ? [[APPEND_AUDIT, principal] as const] : []),
  ]);
