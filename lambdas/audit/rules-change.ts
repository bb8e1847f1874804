/** Sections of the configuration that decide who may do what; a pool may have its own. */
const SECTIONS = ["people", "policy", "approvals"] as const;

/** The sections of a configuration by their path: "policy", "pools.web.approvals". */
export type GuardedRules = Readonly<Record<string, unknown>>;

/** Difference at one path: values that were added, and values that were removed. */
export interface RuleChange {
  /** "policy.add", "people.operator", "approvals.drain.needs" */
  readonly path: string;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

type Table = Readonly<Record<string, unknown>>;

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const picked = (table: Table, beginning: string): [string, unknown][] =>
  SECTIONS.flatMap((name) => (table[name] === undefined ? [] : [[`${beginning}${name}`, table[name]]]));

/** Reads the sections of a configuration; sections that its release does not know are left out. */
export function guardedRules(configuration: object): GuardedRules {
  const { pools } = configuration as { pools?: unknown };
  const ofPools = Object.entries(isTable(pools) ? pools : {}).flatMap(([name, pool]) =>
    isTable(pool) ? picked(pool, `pools.${name}.`) : [],
  );
  return Object.fromEntries([...picked(configuration as Table, ""), ...ofPools]);
}

/** Lists every value with its path; a list is a set of values under one path, and a list within a list is one value. */
function leaves(value: unknown, path: string): [string, string[]][] {
  if (isTable(value))
    return Object.entries(value).flatMap(([name, inside]) => leaves(inside, path === "" ? name : `${path}.${name}`));
  const all = Array.isArray(value) ? value : [value];
  return [[path, all.map((one) => (typeof one === "string" ? one : JSON.stringify(one)))]];
}

/**
 * Compares the rules of two releases.
 * @returns the differences, in the order of the paths; the order of a list's values does not matter
 */
export function rulesChange(before: GuardedRules, after: GuardedRules): RuleChange[] {
  const [old, now] = [new Map(leaves(before, "")), new Map(leaves(after, ""))];
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths
    .map((path) => {
      const [was, is] = [old.get(path) ?? [], now.get(path) ?? []];
      return {
        path,
        added: is.filter((value) => !was.includes(value)),
        removed: was.filter((value) => !is.includes(value)),
      };
    })
    .filter(({ added, removed }) => added.length + removed.length > 0);
}
