/** Differences between what an observation found and what was posted. */
export interface PostedNews<Item> {
  readonly began: readonly Item[];
  readonly ended: readonly Item[];
  /** Those that were posted and have not ended. */
  readonly posted: readonly Item[];
}

/**
 * Compares what an observation found with what was posted. A machine that an operation works on is not posted, and has not ended
 * either: the operation may fail.
 * @param nameOf identity of an item
 * @param found whether an operation works on their machines or not
 * @param busy ids of the machines that an operation works on
 */
export function newsSince<Item extends { readonly instanceId: string }>(
  posted: readonly Item[],
  found: readonly Item[],
  nameOf: (item: Item) => string,
  busy: ReadonlySet<string>,
): PostedNews<Item> {
  const [known, now] = [new Set(posted.map(nameOf)), new Set(found.map(nameOf))];
  const began = found.filter((one) => !known.has(nameOf(one)) && !busy.has(one.instanceId));
  const open = posted.filter((one) => now.has(nameOf(one)));
  return { began, ended: posted.filter((one) => !now.has(nameOf(one))), posted: [...open, ...began] };
}
