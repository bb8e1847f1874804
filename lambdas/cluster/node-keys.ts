/** Taint that keeps every pod off a node until it is verified; removing it is the last step of provisioning. */
export const startingTaint = { key: "casement.dev/starting", value: "true", effect: "NoSchedule" } as const;

/** A taint as `kubectl taint` takes it. */
export const taintText = ({ key, value, effect }: { key: string; value?: string; effect: string }): string =>
  `${key}${value ? `=${value}` : ""}:${effect}`;

/**
 * Key of the taint with which nodes of a rollout wait for their reboot: the scheduler prefers other nodes, so that fewer
 * pods move twice. Its value is the operation.
 */
export const SOON_REBOOTED = "casement.dev/soon-rebooted";

/** Label with the name of the pool, set by provisioning: Casement set up every Node with this label. */
export const POOL_LABEL = "casement.dev/pool";

/**
 * Annotation that names the operation which cordoned a node. Kubelets can write it, so only the ledger's record is
 * valid.
 */
export const CORDONED_BY = "casement.dev/cordoned-by";

/** Label that shows people a quarantined node, which no proof uncordons; only the ledger's record is valid. */
export const QUARANTINED = "casement.dev/quarantined";

/** Annotation on a Node with which people stop Casement from disturbing it; its value is the reason. */
export const HOLD = "casement.dev/hold";

/**
 * Annotation on the Namespace `casement` with which people stop Casement from disturbing any node; its value is the
 * reason.
 */
export const FREEZE = "casement.dev/freeze";

/** Annotation with the hex sha256 of the authorities that the kubelet has; only the ledger's record is valid. */
export const KUBELET_CLIENTS = "casement.dev/kubelet-clients";

/**
 * Label that makes service controllers take a node out of load balancers, whatever its value (Kubernetes'
 * documentation, "Well-Known Labels").
 */
export const OUT_OF_BALANCERS = "node.kubernetes.io/exclude-from-external-load-balancers";

/** Annotation with which WMCO requests a reboot of a node from itself (its pkg/metadata/metadata.go). */
export const WMCO_REBOOT = "windowsmachineconfig.openshift.io/reboot-required";

/** Annotation that kured sets while it drains and reboots a node (kured's cmd/kured/main.go, `--annotate-nodes`). */
export const KURED_IN_PROGRESS = "weave.works/kured-reboot-in-progress";

/** Annotations whose first observation says how old they are: one has no time, that of the other may be unreadable. */
export const OBSERVED_MARKS = [WMCO_REBOOT, KURED_IN_PROGRESS] as const;

/** Label with the Windows build, set by the kubelet. */
export const BUILD_LABEL = "node.kubernetes.io/windows-build";
