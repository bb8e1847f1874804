import type { KubeObject } from "./object.ts";

/** A taint of a Node. */
export interface Taint {
  key: string;
  value?: string;
  effect: "NoSchedule" | "PreferNoSchedule" | "NoExecute";
  timeAdded?: string;
}

/** A taint, or a range of taints, that a pod tolerates. */
export interface Toleration {
  key?: string;
  operator?: "Exists" | "Equal";
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** One line of `status.conditions`. */
export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastHeartbeatTime?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  observedGeneration?: number;
}

/** One address of a Node. */
export interface NodeAddress {
  type: "InternalIP" | "ExternalIP" | "Hostname" | "InternalDNS" | "ExternalDNS";
  address: string;
}

/** The fields of a Node that the control plane reads. */
export interface Node extends KubeObject {
  spec: { unschedulable?: boolean; taints?: Taint[]; providerID?: string; podCIDR?: string; podCIDRs?: string[] };
  status?: {
    conditions?: Condition[];
    addresses?: NodeAddress[];
    capacity?: Record<string, string>;
    allocatable?: Record<string, string>;
    /** Volumes that the kubelet has mounted or is about to mount. */
    volumesInUse?: string[];
    nodeInfo?: Record<string, string>;
  };
}

/** The fields of a container that the scheduler and the simulated kubelets read. */
export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: string;
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
  readinessProbe?: object;
  command?: string[];
  args?: string[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
}

/** One line of `status.containerStatuses`. */
export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  ready: boolean;
  started: boolean;
  restartCount: number;
  state: Record<string, unknown>;
}

/** The fields of a Pod that the control plane reads. */
export interface Pod extends KubeObject {
  spec: {
    nodeName?: string;
    nodeSelector?: Record<string, string>;
    tolerations?: Toleration[];
    containers: Container[];
    terminationGracePeriodSeconds?: number;
    hostNetwork?: boolean;
    restartPolicy?: string;
    affinity?: Record<string, unknown>;
    runtimeClassName?: string;
    volumes?: Record<string, unknown>[];
  };
  status?: {
    phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
    startTime?: string;
    reason?: string;
    message?: string;
    podIP?: string;
    hostIP?: string;
    [field: string]: unknown;
  };
}

/** A PersistentVolume that a CSI driver serves. */
export interface Volume extends KubeObject {
  spec: { csi?: { driver: string; volumeHandle: string }; nodeAffinity?: Record<string, unknown> };
}

/** A VolumeAttachment. */
export interface VolumeAttachment extends KubeObject {
  spec: { attacher: string; nodeName: string; source: { persistentVolumeName: string } };
  status?: { attached: boolean };
}

/** A label selector of workloads and budgets. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** A PodDisruptionBudget. */
export interface Budget extends KubeObject {
  spec: {
    minAvailable?: number | string;
    maxUnavailable?: number | string;
    selector?: LabelSelector;
    unhealthyPodEvictionPolicy?: "IfHealthyBudget" | "AlwaysAllow";
  };
  status?: {
    observedGeneration?: number;
    disruptionsAllowed: number;
    currentHealthy: number;
    desiredHealthy: number;
    expectedPods: number;
    disruptedPods?: Record<string, string>;
    conditions?: Condition[];
  };
}

/** A ReplicaSet, StatefulSet, Deployment, DaemonSet or ReplicationController. */
export interface Workload extends KubeObject {
  spec: {
    replicas?: number;
    selector?: LabelSelector;
    template?: {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec?: Pod["spec"];
    };
  };
  status?: Record<string, unknown>;
}

/** A CertificateSigningRequest; `request` and `certificate` are base64 of PEM. */
export interface SigningRequest extends KubeObject {
  spec: {
    request: string;
    signerName: string;
    usages?: string[];
    username?: string;
    uid?: string;
    groups?: string[];
    extra?: Record<string, string[]>;
    expirationSeconds?: number;
  };
  status?: { certificate?: string; conditions?: Condition[] };
}

/** A Lease; kubelets renew theirs in kube-node-lease. */
export interface Lease extends KubeObject {
  spec: { holderIdentity?: string; leaseDurationSeconds?: number; renewTime?: string };
}

/** Finds the condition of a type. */
export const conditionOf = (conditions: readonly Condition[] | undefined, type: string): Condition | undefined =>
  conditions?.find((condition) => condition.type === type);

/** Is the condition of that type True? */
export const isTrue = (conditions: readonly Condition[] | undefined, type: string): boolean =>
  conditionOf(conditions, type)?.status === "True";

/** Has the pod succeeded or failed? */
export const isFinished = (pod: Pod): boolean => pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
