/** The work of one operation on one of its nodes, which owns leases, slots and join slots. */
export interface NodeWork {
  readonly operation: string;
  /** 0 for the operation's first node. */
  readonly index: number;
}

/** Names the work, for the ledger, buttons and comments of commands: "add-3f9c2a71:0". */
export const workOwner = ({ operation, index }: NodeWork): string => `${operation}:${index}`;

/**
 * Parses the name that `workOwner` makes.
 * @returns undefined for any other text
 */
export function parseOwner(text: string): NodeWork | undefined {
  const { operation, indexes: [index, ...others] = [] } = parseGroup(text) ?? {};
  return operation === undefined || index === undefined || others.length > 0 ? undefined : { operation, index };
}

/**
 * Parses the name that `workOwner` makes.
 * @throws Error for any other text
 */
export function workOf(owner: string): NodeWork {
  const work = parseOwner(owner);
  if (!work) throw new Error(`${owner} names no work on a node`);
  return work;
}

/** The work of one operation on several of its nodes. */
export interface GroupWork {
  readonly operation: string;
  readonly indexes: readonly number[];
}

/** Names the work on several nodes, for buttons: "add-3f9c2a71:0,1,5". */
export const groupOwner = ({ operation, indexes }: GroupWork): string => `${operation}:${indexes.join(",")}`;

/**
 * Parses the name that `groupOwner` makes.
 * @returns undefined for any other text
 */
export function parseGroup(text: string): GroupWork | undefined {
  const [, operation, indexes] = /^([a-z][a-z0-9-]*):(\d{1,4}(?:,\d{1,4})*)$/.exec(text) ?? [];
  return operation === undefined ? undefined : { operation, indexes: (indexes ?? "").split(",").map(Number) };
}
