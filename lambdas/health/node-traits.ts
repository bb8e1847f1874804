/** Names of the traits by which nodes that fail and nodes that work may differ, in the order of messages. */
export const traitNames = ["pool", "zone", "subnet", "image", "update", "type"] as const;

/** Name of a trait. */
export type TraitName = (typeof traitNames)[number];

/** Traits of a node and its machine; null where one is not known. */
export interface NodeTraits extends Readonly<Record<TraitName, string | null>> {
  /** Last launch or reboot of the machine that Casement knows; ISO 8601. */
  readonly startedAt: string | null;
}

/** Traits that all failing nodes have and no working node has. */
export interface SharedTraits {
  readonly values: readonly { readonly trait: TraitName; readonly value: string }[];
  /** ISO 8601: all failing nodes were launched or rebooted at this time or later, all working ones before; null if not. */
  readonly startedSince: string | null;
}

const only = (values: ReadonlySet<string | null>): string | null =>
  values.size === 1 ? ([...values][0] ?? null) : null;

function sharedValue(trait: TraitName, failing: readonly NodeTraits[], working: readonly NodeTraits[]): string | null {
  const value = only(new Set(failing.map((one) => one[trait])));
  // A working node whose trait is not known may have it too.
  return working.some((one) => one[trait] === value || one[trait] === null) ? null : value;
}

function startedSince(failing: readonly NodeTraits[], working: readonly NodeTraits[]): string | null {
  const starts = (of: readonly NodeTraits[]) => of.map(({ startedAt }) => startedAt);
  const [late, early] = [starts(failing), starts(working)];
  if ([...late, ...early].includes(null)) return null;
  const first = late.sort()[0] ?? null;
  return first !== null && early.every((at) => at !== null && at < first) ? first : null;
}

/**
 * Compares nodes that fail with nodes that work.
 * @returns what all failing nodes have and no working node has; nothing if fewer than two fail, or none works
 */
export function sharedTraitsOf(failing: readonly NodeTraits[], working: readonly NodeTraits[]): SharedTraits {
  if (failing.length < 2 || working.length === 0) return { values: [], startedSince: null };
  const values = traitNames.flatMap((trait) => {
    const value = sharedValue(trait, failing, working);
    return value === null ? [] : [{ trait, value }];
  });
  return { values, startedSince: startedSince(failing, working) };
}
