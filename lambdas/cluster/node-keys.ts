/** Keeps every pod away until the node was verified; the last thing that provisioning removes. */
export const startingTaint = { key: "casement.dev/starting", value: "true", effect: "NoSchedule" } as const;

/** Label with the name of the pool, set by provisioning: a Node that carries it was set up by Casement. */
export const POOL_LABEL = "casement.dev/pool";

/** Annotation that names the operation which cordoned a node; kubelets can write it, so the ledger's record decides. */
export const CORDONED_BY = "casement.dev/cordoned-by";

/** Label that shows people a node which no proof gives back; the ledger's record decides. */
export const QUARANTINED = "casement.dev/quarantined";

/** Annotation on a Node with which people keep Casement from disturbing it; its value is the reason. */
export const HOLD = "casement.dev/hold";

/** Annotation on the Namespace `casement` with which people keep Casement from disturbing any node; its value is the reason. */
export const FREEZE = "casement.dev/freeze";

/** Annotation with the hex sha256 of the authorities that the kubelet was given; the ledger's record is what counts. */
export const KUBELET_CLIENTS = "casement.dev/kubelet-clients";

/**
 * Label with which service controllers take a node out of load balancers; its presence counts, whatever its value (Kubernetes'
 * documentation, "Well-Known Labels").
 */
export const OUT_OF_BALANCERS = "node.kubernetes.io/exclude-from-external-load-balancers";

/** Label with the Windows build, set by the kubelet. */
export const BUILD_LABEL = "node.kubernetes.io/windows-build";
