import { MOST_MACHINES } from "../machine/fleet-size.ts";

/** Records of machines that one step reads or writes at once. */
export const RECORDS_AT_ONCE = 10;

/** Splits a list into chunks for one step each: a step takes and returns at most 50 machines. */
export const chunksOf = <T>(list: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(list.length / MOST_MACHINES) }, (_, at) =>
    list.slice(at * MOST_MACHINES, (at + 1) * MOST_MACHINES),
  );

/** Name of the nth step of its kind, counted from 0: "settle", "settle 2". */
export const numbered = (name: string, at: number): string => (at === 0 ? name : `${name} ${at + 1}`);

/** One page of a list, as a step returns it. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Missing on the last page. */
  readonly more?: true;
}

/**
 * Returns the next page of a list: items that no earlier page has, even if the list is read in another order each time.
 * @param before nodes of the earlier pages
 */
export function pageAfter<T>(
  list: readonly T[],
  before: readonly { readonly uid: string }[],
  uidOf: (item: T) => string,
): Page<T> {
  const seen = new Set(before.map(({ uid }) => uid));
  const rest = list.filter((item) => !seen.has(uidOf(item)));
  const items = rest.slice(0, MOST_MACHINES);
  return rest.length > items.length ? { items, more: true } : { items };
}

/**
 * Reads a list page by page.
 * @param read reads the nth page, counted from 0, in a step of its own
 */
export async function everyChunk<T>(
  read: (at: number, before: readonly T[]) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (let at = 0; ; at += 1) {
    const { items, more } = await read(at, all);
    all.push(...items);
    if (!more) return all;
  }
}

/** Makes a function that reads once for all steps of an invocation, and again after a failure. */
export function readOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  return async () => {
    last ??= read();
    try {
      return await last;
    } catch (error) {
      last = undefined;
      throw error;
    }
  };
}

/**
 * Runs work on every item, at most `most` of them together. Items begin in the list's order, whichever ends first: in a
 * replay each gets the same place among the operations of the execution.
 * @throws the first error, once the work on every item that had begun has ended
 */
export async function atMost<T, R>(
  most: number,
  items: readonly T[],
  work: (item: T, at: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const errors: unknown[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of waiting) {
      if (errors.length > 0) return;
      try {
        results[at] = await work(item, at);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  if (errors.length > 0) throw errors[0];
  return results;
}
