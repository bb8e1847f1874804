interface Version {
  readonly major: number;
  readonly minor: number;
}

/** Parses versions such as "v1.34.2" and "1.34+"; undefined for any other text. */
const versionOf = (text: string): Version | undefined => {
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(text) ?? [];
  return major && minor ? { major: Number(major), minor: Number(minor) } : undefined;
};

/** Number of minor versions by which the first is ahead of the second; undefined if they cannot be compared. */
function ahead(one: string, other: string): number | undefined {
  const [first, second] = [versionOf(one), versionOf(other)];
  return first && second && first.major === second.major ? first.minor - second.minor : undefined;
}

/**
 * May nodes with this payload join a cluster of that version? WMCO's own rule: its version or one newer
 * (cmd/operator/main.go).
 */
export const serverFits = (server: string, payload: string): boolean => [0, 1].includes(ahead(server, payload) ?? -1);

/**
 * Is a kubelet not newer than its API server, and at most three minors older (Kubernetes documentation, "Version Skew
 * Policy")?
 */
export const kubeletFits = (kubelet: string, server: string): boolean =>
  [0, 1, 2, 3].includes(ahead(server, kubelet) ?? -1);

/** Does an API server put an id into service account tokens? It does since 1.30 (KEP-4193, ServiceAccountTokenJTI). */
export const givesTokensAnId = (server: string): boolean => (ahead(server, "1.30") ?? 0) >= 0;

/** Is a version like "3.3.2746.0" at least the other? Missing parts are treated as 0. */
export function atLeast(version: string, wanted: string): boolean {
  const parts = version.split(".").map(Number);
  for (const [at, part] of wanted.split(".").map(Number).entries()) {
    const own = parts[at] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}
