/** Objects of a list that one page holds: a cluster of a thousand pods does not fit one answer. */
const PAGE = 500;

/** Parameters of one page of a list (Kubernetes API concepts, "Retrieving large results sets in chunks"). */
interface PageParameters {
  readonly limit: number;
  readonly _continue?: string;
}

/**
 * Reads every page of a list of the Kubernetes API.
 * @param page lists one page by the given parameters
 */
export async function everyPage<T>(
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
