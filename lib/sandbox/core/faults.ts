import type { Random } from "./random.ts";
import type { Collection, Store } from "./store.ts";

/** Kind of fault that can be injected, declared by the service that it affects. */
export interface FaultKind {
  readonly kind: string;
  /** One sentence: what goes wrong while the fault is in force. */
  readonly sentence: string;
  /** Fields that `match` may name, each with one sentence. */
  readonly fields: Readonly<Record<string, string>>;
  /** Every value that a field can have; a field that is missing here can have any. */
  readonly values?: FaultValues;
}

/** Every value of fields of a fault, by field. */
export type FaultValues = Readonly<Record<string, readonly string[]>>;

/**
 * Adds to a kind the values that its fields can have.
 * @param present names of what is there, by field; a value that the kind has itself stands
 */
export function withValues(kind: FaultKind, present: FaultValues): FaultKind {
  const named = Object.entries(present).filter(([field]) => Object.hasOwn(kind.fields, field));
  return { ...kind, values: { ...Object.fromEntries(named), ...kind.values } };
}

/** A kind as its service declares it: values that are known later are read when a fault is injected. */
export type DeclaredKind = Omit<FaultKind, "values"> & {
  readonly values?: Readonly<Record<string, readonly string[] | (() => readonly string[])>>;
};

const kindOf = ({ values = {}, ...kind }: DeclaredKind): FaultKind => ({
  ...kind,
  values: Object.fromEntries(
    Object.entries(values).map(([field, all]) => [field, typeof all === "function" ? all() : all]),
  ),
});

/** Most values that a refusal names. */
const MOST_NAMED = 20;

const listed = (values: readonly string[]): string =>
  values.length > MOST_NAMED
    ? `${values.slice(0, MOST_NAMED).join(", ")} and ${values.length - MOST_NAMED} more`
    : values.join(", ");

/**
 * Explains in a sentence why a fault can never apply.
 * @returns null if every field of `match` may have its value
 */
export function whyNever(
  { kind, fields, values = {} }: FaultKind,
  match: Readonly<Record<string, string>>,
): string | null {
  const names = Object.keys(fields);
  for (const [field, value] of Object.entries(match)) {
    if (!names.includes(field)) return `Fault ${kind} can be matched by ${names.join(", ")} only.`;
    const allowed = Object.hasOwn(values, field) ? values[field] : undefined;
    if (allowed?.includes(value) === false)
      return `No ${field} of fault ${kind} is "${value}". It may be: ${listed(allowed)}.`;
  }
  return null;
}

/** A fault in force. It ends after `count` occurrences; without a count it lasts until it is ended. */
export interface Fault {
  readonly id: string;
  readonly kind: string;
  readonly match: Readonly<Record<string, string>>;
  count?: number;
}

/** Injected faults. They are kept in the store, so a restart does not end them. */
export interface Faults {
  /** Makes kinds known. A service declares its kinds once, when it is built. */
  declare(...kinds: DeclaredKind[]): void;
  kinds(): FaultKind[];
  inForce(): Fault[];
  /** Puts a fault in force; undefined when the kind, or a field of `match`, is unknown, or a field can never have that value. */
  inject(kind: string, match: Readonly<Record<string, string>>, count?: number): Fault | undefined;
  end(id: string): boolean;
  /**
   * Finds out whether a fault of this kind applies: every field of its `match` equals the fact of that name.
   * A fault with a count loses one each time it applies.
   */
  applies(kind: string, facts: Readonly<Record<string, string>>): boolean;
}

/** Builds the registry of faults on the simulator's store. */
export function faultRegistry(store: Store, random: Random): Faults {
  const kinds = new Map<string, DeclaredKind>();
  const injected: Collection<Fault> = store.collection("faults");
  const useUp = (fault: Fault): void => {
    if (fault.count === undefined) return;
    fault.count -= 1;
    if (fault.count > 0) injected.set(fault.id, fault);
    else injected.delete(fault.id);
  };
  return {
    declare: (...declared) => {
      for (const one of declared) kinds.set(one.kind, one);
    },
    kinds: () => [...kinds.values()].map(kindOf),
    inForce: () => injected.values(),
    inject: (kind, match, count) => {
      const known = kinds.get(kind);
      if (!known || whyNever(kindOf(known), match) !== null) return undefined;
      const fault: Fault = { id: `fault-${random.hex(8)}`, kind, match, ...(count === undefined ? {} : { count }) };
      injected.set(fault.id, fault);
      return fault;
    },
    end: (id) => {
      const known = injected.has(id);
      injected.delete(id);
      return known;
    },
    applies: (kind, facts) => {
      const found = injected
        .values()
        .find(
          (fault) =>
            fault.kind === kind && Object.entries(fault.match).every(([field, value]) => facts[field] === value),
        );
      if (found) useUp(found);
      return found !== undefined;
    },
  };
}
