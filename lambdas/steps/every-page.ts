import { ApiException } from "@kubernetes/client-node";
import { Retryable } from "../errors.ts";

/** Objects per page, because a cluster of a thousand pods does not fit into one answer. */
const PAGE = 500;

/** Parameters of one page of a list (Kubernetes API concepts, "Retrieving large results sets in chunks"). */
interface PageParameters {
  readonly limit: number;
  readonly _continue?: string;
}

/** Limit on the times that an expired list is read from its beginning; after that the server's error is thrown. */
const MOST_RESTARTS = 4;

/** Has the list expired (410 Gone) because it was read too slowly? */
const isExpired = (error: unknown): boolean => error instanceof ApiException && error.code === 410;

/**
 * Reads every page of a list of the Kubernetes API. If the list expires, it is read again from its beginning, so that
 * no object appears twice.
 * @param page lists one page with the given parameters
 * @throws Retryable if the server names a page again that was read already; the client's error
 */
export async function everyPage<T>(
  page: (parameters: PageParameters) => Promise<{ items: T[]; metadata?: { _continue?: string } }>,
): Promise<T[]> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await allPages(page);
    } catch (error) {
      if (restarts === MOST_RESTARTS || !isExpired(error)) throw error;
    }
  }
}

async function allPages<T>(
  page: (parameters: PageParameters) => Promise<{ items: T[]; metadata?: { _continue?: string } }>,
): Promise<T[]> {
  const all: T[] = [];
  const read = new Set<string>();
  let from: string | undefined;
  do {
    const { items, metadata } = await page({ limit: PAGE, ...(from ? { _continue: from } : {}) });
    all.push(...items);
    from = metadata?._continue || undefined;
    if (from && read.has(from)) throw new Retryable("the API server's list names a page that was read already");
    if (from) read.add(from);
  } while (from);
  return all;
}
