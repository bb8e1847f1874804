import type { Random } from "./random.ts";
import type { Collection, Store } from "./store.ts";

/** A kind of mishap that can be ordered: declared by the service that suffers it. */
export interface MishapKind {
  readonly kind: string;
  /** One sentence: what goes wrong while it is in force. */
  readonly sentence: string;
  /** Fields that `match` may name, each with one sentence. */
  readonly fields: Readonly<Record<string, string>>;
}

/** A mishap in force. It is used up after `count` occurrences; without a count it lasts until ended. */
export interface Mishap {
  readonly id: string;
  readonly kind: string;
  readonly match: Readonly<Record<string, string>>;
  count?: number;
}

/** The orders for things to go wrong, kept in the store so that a restart does not heal them. */
export interface Mishaps {
  /** Services declare what can happen to them, once, when they are built. */
  declare(...kinds: MishapKind[]): void;
  kinds(): MishapKind[];
  inForce(): Mishap[];
  /** Orders one; undefined when the kind or a field of `match` is unknown. */
  order(kind: string, match: Readonly<Record<string, string>>, count?: number): Mishap | undefined;
  end(id: string): boolean;
  /**
   * Does this mishap strike here? Every field in the order's `match` must equal the fact of that name.
   * A striking mishap with a count loses one.
   */
  strikes(kind: string, facts: Readonly<Record<string, string>>): boolean;
}

/** Builds the book of mishaps on the ground's store. */
export function mishapBook(store: Store, random: Random): Mishaps {
  const kinds = new Map<string, MishapKind>();
  const orders: Collection<Mishap> = store.collection("mishaps");
  const useUp = (mishap: Mishap): void => {
    if (mishap.count === undefined) return;
    mishap.count -= 1;
    if (mishap.count > 0) orders.set(mishap.id, mishap);
    else orders.delete(mishap.id);
  };
  return {
    declare: (...declared) => {
      for (const one of declared) kinds.set(one.kind, one);
    },
    kinds: () => [...kinds.values()],
    inForce: () => orders.values(),
    order: (kind, match, count) => {
      const known = kinds.get(kind);
      if (!known || Object.keys(match).some((field) => !Object.hasOwn(known.fields, field))) return undefined;
      const mishap: Mishap = { id: `mishap-${random.hex(8)}`, kind, match, ...(count === undefined ? {} : { count }) };
      orders.set(mishap.id, mishap);
      return mishap;
    },
    end: (id) => {
      const known = orders.has(id);
      orders.delete(id);
      return known;
    },
    strikes: (kind, facts) => {
      const hit = orders
        .values()
        .find(
          (order) =>
            order.kind === kind && Object.entries(order.match).every(([field, value]) => facts[field] === value),
        );
      if (hit) useUp(hit);
      return hit !== undefined;
    },
  };
}
