/** The work of one operation on one of its nodes: what owns a lease, a join slot and a machine's record. */
export interface NodeWork {
  readonly operation: string;
  /** 0 for the operation's first node. */
  readonly index: number;
}

/** The work as the ledger, a button and a command's comment name it: "add-3f9c2a71:0". */
export const workOwner = ({ operation, index }: NodeWork): string => `${operation}:${index}`;

/**
 * Reads an owner's name back.
 * @returns undefined for a text that names no work on a node
 */
export function parseOwner(text: string): NodeWork | undefined {
  const [, operation, index] = /^([a-z][a-z0-9-]*):(\d{1,4})$/.exec(text) ?? [];
  return operation === undefined ? undefined : { operation, index: Number(index) };
}

/**
 * Parses an owner's name into the work it identifies.
 * @throws Error for a text that names none: owners are written by `ownerOf` alone
 */
export function workOf(owner: string): NodeWork {
  const work = parseOwner(owner);
  if (!work) throw new Error(`${owner} names no work on a node`);
  return work;
}
