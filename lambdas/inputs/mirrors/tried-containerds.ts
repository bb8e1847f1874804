/** First and last version of containerd in a range. */
type Range = readonly [first: string, last: string];

/**
 * Versions of containerd whose pulls through hosts.toml files are measured: the lane `test:containerd` runs 1.7.24, and
 * 2.1.9 of Debian testing. Up to 1.7.27, which WMCO's payload carries, remotes/docker differs from 1.7.24 in one of its
 * own tests only (containerd's history, v1.7.24...v1.7.27).
 */
const tried: readonly Range[] = [
  ["1.7.24", "1.7.27"],
  ["2.1.9", "2.1.9"],
];

/** Sorts versions by their numbers. */
const compared = (one: string, other: string): number => one.localeCompare(other, "en", { numeric: true });

/**
 * The version of a container runtime whose pulls were not measured; null for one that was, and for a node that reports
 * none.
 * @param runtime `status.nodeInfo.containerRuntimeVersion` of a Node: "containerd://1.7.27"
 */
export function untriedRuntime(runtime: string): string | null {
  const [, version] = /^containerd:\/\/v?(\d+\.\d+\.\d+)/.exec(runtime) ?? [];
  if (version === undefined) return runtime === "" ? null : runtime;
  return tried.some(([first, last]) => compared(first, version) <= 0 && compared(version, last) <= 0) ? null : version;
}
