import { z } from "zod";
import { withKnownKeys } from "../machine/known-keys.ts";
import {
  type Configuration,
  faultsOf,
  poolRulesSchema,
  type Rules,
  readSchema,
  rulesSchema,
  validated,
} from "./configuration.ts";

const looseTable = z.record(z.string(), z.unknown());

/** Replaces rules that cannot be read by their faults. A pool that is no table stays as it is. */
function withReadableRules(pool: unknown): unknown {
  const table = looseTable.safeParse(pool).data;
  if (!table) return pool;
  const { policy, approvals, rulesFault: _, ...rest } = table;
  const rules = withKnownKeys(poolRulesSchema, { policy, approvals });
  const { success, error } = poolRulesSchema.safeParse(rules);
  return success ? { ...rest, ...(rules as object) } : { ...rest, rulesFault: faultsOf(error) };
}

/** Pools whose rules can be read or are marked; anything but a table of pools stays as it is, and is refused. */
function readablePools(pools: unknown): unknown {
  const table = looseTable.safeParse(pools).data;
  return table
    ? Object.fromEntries(Object.entries(table).map(([name, pool]) => [name, withReadableRules(pool)]))
    : pools;
}

/**
 * Reads a published configuration. The next release may have published it, so keys that this release does not know are
 * ignored. Rules of a pool that cannot be read allow nobody anything in that pool.
 * @param value the parsed configuration of the release document
 * @throws Error that lists every wrong value with its path
 */
export function readConfiguration(value: unknown): Configuration {
  const { pools, ...rest } = validated(looseTable, value);
  return validated(readSchema, withKnownKeys(readSchema, { ...rest, pools: readablePools(pools) }));
}

/**
 * Reads only the rules of a published configuration, so that people can be checked whatever else the next release
 * changes. Rules of a pool that cannot be read allow nobody anything in that pool.
 * @throws Error that lists every wrong value with its path
 */
export function readRules(value: unknown): Rules {
  const { command, slack, people, policy, approvals, pools } = validated(looseTable, value);
  const rules = { command, slack, people, policy, approvals, pools: readablePools(pools) };
  return validated(rulesSchema, withKnownKeys(rulesSchema, rules));
}
