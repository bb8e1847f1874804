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
  const [, operation, index] = /^([a-z][a-z0-9-]*):(\d{1,4})$/.exec(text) ?? [];
  return operation === undefined ? undefined : { operation, index: Number(index) };
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
