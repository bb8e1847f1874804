/** Windows Server releases and their builds in the label node.kubernetes.io/windows-build (Karpenter's labels.go). */
const builds = { "2019": "10.0.17763", "2022": "10.0.20348", "2025": "10.0.26100" } as const;

/** A release of Windows Server that Casement knows. */
export type WindowsRelease = keyof typeof builds;

/** The build of a release, which decides which container images run. */
export const buildOf = (windows: WindowsRelease): string => builds[windows];

/** Other host builds that run containers of a build (hcsshim's platform_compat_windows.go). */
const later: Readonly<Record<string, readonly string[]>> = { [builds["2022"]]: [builds["2025"]] };

/**
 * Builds of the nodes that can run the containers of a node of this build without Hyper-V: up to 2019 only the same
 * build, from 2022 on also that of the next release.
 * @param build as in the label node.kubernetes.io/windows-build
 */
export const hostsOf = (build: string): readonly string[] => [build, ...(later[build] ?? [])];

/** The release of a build, "2022"; undefined for one that Casement does not know. */
export const releaseOfBuild = (build: string): WindowsRelease | undefined =>
  (Object.keys(builds) as WindowsRelease[]).find((release) => builds[release] === build);
