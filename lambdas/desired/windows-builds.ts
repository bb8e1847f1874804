/** Windows Server releases and their builds, as the label node.kubernetes.io/windows-build has them (Karpenter's labels.go). */
const builds = { "2019": "10.0.17763", "2022": "10.0.20348", "2025": "10.0.26100" } as const;

/** The build of a release: what decides which container images run. */
export const buildOf = (windows: keyof typeof builds): string => builds[windows];
