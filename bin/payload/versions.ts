import { atLeast } from "../../lambdas/machine/versions.ts";
import { StartError } from "../start-error.ts";

/** A version of containerd and the Kubernetes minors that get it. */
interface ContainerdRow {
  readonly version: string;
  /** First Kubernetes minor that gets this version by default. */
  readonly from: string;
  /** Releases of Windows Server on which this line of versions is known to run. */
  readonly windows: readonly string[];
}

/**
 * containerd by Kubernetes minor, the newest row first (containerd's RELEASES.md, "Kubernetes Support": 1.36 needs 2.2 or
 * 2.3). 1.7.34 brings the shim that the operator's own nodes run; Azure's images run 2.x on Server 2022 and 2025 alone.
 */
export const containerdRows: readonly ContainerdRow[] = [
  { version: "2.3.4", from: "1.36", windows: ["2022", "2025"] },
  { version: "1.7.34", from: "1.30", windows: ["2019", "2022", "2025"] },
];

/** Kubernetes minors that the table covers: their parts were read at their publishers. */
const FIRST_MINOR = "1.30";
const LAST_MINOR = "1.36";

/** Returns the minor of a version: "1.34.2" gives "1.34". */
export const minorOf = (version: string): string => version.split(".").slice(0, 2).join(".");

/** Returns a Kubernetes minor that the table covers. @throws StartError for another one */
export function coveredMinor(version: string): string {
  const minor = minorOf(version);
  const [, part = 0] = minor.split(".").map(Number);
  const [low = 0, high = 0] = [FIRST_MINOR, LAST_MINOR].map((end) => Number(end.split(".")[1]));
  if (minor.startsWith("1.") && part >= low && part <= high) return minor;
  throw new StartError(`the parts are known for Kubernetes ${FIRST_MINOR} to ${LAST_MINOR}, not for ${version}`);
}

/** Chooses containerd for a Kubernetes minor. @throws Error for a minor that the table does not cover */
export function containerdFor(minor: string): string {
  const row = containerdRows.find(({ from }) => atLeast(minor, from));
  if (!row) throw new Error(`no containerd for Kubernetes ${minor}`);
  return row.version;
}

/** Lists the given Windows releases on which a version of containerd is not known to run; empty for a version of no row. */
export function untriedWindows(containerd: string, windows: readonly string[]): string[] {
  const row = containerdRows.find(({ version }) => minorOf(version) === minorOf(containerd));
  return row ? [...new Set(windows)].filter((one) => !row.windows.includes(one)).toSorted() : [];
}
