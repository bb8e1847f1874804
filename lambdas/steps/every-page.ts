import { ApiException } from "@kubernetes/client-node";

/** Objects of a list that one page holds: a cluster of a thousand pods does not fit one answer. */
const PAGE = 500;

/** Parameters of one page of a list (Kubernetes API concepts, "Retrieving large results sets in chunks"). */
interface PageParameters {
  readonly limit: number;
  readonly _continue?: string;
}

/** Lists that are begun again because the server forgot where they were; then its answer counts. */
const MOST_RESTARTS = 4;

/** Was the list too slow, so that the server has forgotten its state (410 Gone)? */
const isExpired = (error: unknown): boolean => error instanceof ApiException && error.code === 410;

/**
 * Reads every page of a list of the Kubernetes API. One that expires in the middle is begun again: nothing is listed twice.
 * @param page lists one page by the given parameters
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
  let from: string | undefined;
  do {
    const { items, metadata } = await page({ limit: PAGE, ...(from ? { _continue: from } : {}) });
    all.push(...items);
    from = metadata?._continue || undefined;
  } while (from);
  return all;
}
