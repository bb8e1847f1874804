/** Ways in which versions of containerd differ. */
export interface ContainerdBehaviour {
  /** A hosts.toml without a `[host]` table is dropped (up to 1.7.31). */
  readonly needsHostTable: boolean;
  /** go-toml 2 reads hosts.toml: strict about bytes, indifferent to the case of keys, and hosts only by their headers. */
  readonly strictToml: boolean;
  readonly knowsDialTimeout: boolean;
  readonly capabilities: readonly string[];
  /** A 500, 503 or 504 of the last host is retried. */
  readonly retriesLastHost: boolean;
  /** The error that a failed resolution reports: by its kind, or the first that is not a 404. */
  readonly ranksErrors: boolean;
  /** Words about a status that is no success. */
  readonly unexpectedStatus: (method: string, url: string) => string;
  /** Words of the CRI plugin before an error of a resolution. */
  readonly failedToResolve: (reference: string) => string;
}

const isAtLeast = (version: string, ...wanted: readonly number[]): boolean => {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10));
  const differing = wanted.findIndex((part, index) => (parts[index] ?? 0) !== part);
  return differing === -1 || (parts[differing] ?? 0) > (wanted[differing] ?? 0);
};

/**
 * Describes a version of containerd, 1.7 or later.
 * @param version "1.7.27"
 */
export function behaviourOf(version: string): ContainerdBehaviour {
  const isTwo = isAtLeast(version, 2);
  return {
    needsHostTable: !isAtLeast(version, 1, 7, 32),
    strictToml: isTwo,
    knowsDialTimeout: isAtLeast(version, 2, 1),
    capabilities: ["pull", "resolve", "push", ...(isAtLeast(version, 2, 2) ? ["referrers"] : [])],
    retriesLastHost: isTwo,
    ranksErrors: isTwo,
    unexpectedStatus: (method, url) =>
      isTwo || method === "HEAD"
        ? `unexpected status from ${method} request to ${url}`
        : `unexpected status code ${url}`,
    // 1.7: internal/cri's PullImage without the transfer service; 2.x: with it.
    failedToResolve: (reference) => (isTwo ? "failed to resolve image" : `failed to resolve reference "${reference}"`),
  };
}
