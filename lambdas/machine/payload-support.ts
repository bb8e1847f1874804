import { kubeletFits } from "./versions.ts";

/** A program of the payload whose version should not be used. */
export type SupportFault =
  | { readonly kind: "ended"; readonly program: string; readonly version: string; readonly since: string }
  | { readonly kind: "broken"; readonly program: string; readonly version: string; readonly why: string }
  | { readonly kind: "skew"; readonly program: string; readonly version: string; readonly cluster: string };

/** Name and version of a file of the payload. */
interface Program {
  readonly name: string;
  readonly version: string;
}

/**
 * Last day of fixes by program and minor: kubernetes/website, data/releases; containerd, RELEASES.md. 1.7 of containerd was
 * kept half a year longer for one vendor alone.
 */
const ends: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "kubelet.exe": {
    "1.30": "2025-07-15",
    "1.31": "2025-11-11",
    "1.32": "2026-02-28",
    "1.33": "2026-06-28",
    "1.34": "2026-10-27",
    "1.35": "2027-02-28",
    "1.36": "2027-06-28",
  },
  "containerd.exe": { "1.7": "2026-03-31", "2.1": "2026-07-31", "2.2": "2026-11-06", "2.3": "2028-04-30" },
};

/** Versions that do not work on Windows nodes, each with its report. */
const broken: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "kubelet.exe": {
    "1.31.0": "it does not start a second time (kubernetes/kubernetes issue 126965)",
    "1.31.1": "it does not start (kubernetes/kubernetes issue 129957)",
  },
};

const minorIn = (version: string): string => version.split(".").slice(0, 2).join(".");

/** Is this the version of a release? A file of an operator's image carries the image's instead. */
const isRelease = (version: string): boolean => /^\d+\.\d+\.\d+/.test(version);

/**
 * Lists programs that do not work on Windows, and a kubelet that does not fit the cluster.
 * @param cluster Kubernetes version of the configuration
 */
export const brokenPrograms = (files: readonly Program[], cluster: string): SupportFault[] =>
  files.flatMap(({ name, version }): SupportFault[] => {
    const why = broken[name]?.[version];
    if (why) return [{ kind: "broken", program: name, version, why }];
    const fits = name !== "kubelet.exe" || !isRelease(version) || kubeletFits(version, cluster);
    return fits ? [] : [{ kind: "skew", program: name, version, cluster }];
  });

/**
 * Lists programs that get no more fixes from their publisher.
 * @param today "2026-11-26"
 */
export const endedPrograms = (files: readonly Program[], today: string): SupportFault[] =>
  files.flatMap(({ name, version }): SupportFault[] => {
    const since = ends[name]?.[minorIn(version)];
    return since && since < today ? [{ kind: "ended", program: name, version, since }] : [];
  });

/** Describes a fault in a sentence without its end. */
export function supportText(fault: SupportFault): string {
  const { program, version } = fault;
  if (fault.kind === "ended") return `${program} ${version} has had no fixes from its publisher since ${fault.since}`;
  if (fault.kind === "broken") return `${program} ${version} is known to be broken on Windows: ${fault.why}`;
  return `${program} ${version} does not fit Kubernetes ${fault.cluster}: a kubelet is not newer, and at most three minors older`;
}
