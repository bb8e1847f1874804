/** One type of resource, as short as it can be written. */
export type Line = readonly [
  apiVersion: string,
  plural: string,
  kind: string,
  scope: "cluster" | "namespaced",
  more?: {
    readonly short?: readonly string[];
    readonly sub?: readonly string[];
    readonly all?: true;
    readonly custom?: true;
    readonly virtual?: true;
    readonly kept?: true;
  },
];

const scaled = { sub: ["status", "scale"], all: true } as const;

/** Names, scopes, short names and subresources as a 1.34 API server lists them in discovery. */
export const lines: readonly Line[] = [
  ["v1", "nodes", "Node", "cluster", { short: ["no"], sub: ["status", "proxy"] }],
  [
    "v1",
    "pods",
    "Pod",
    "namespaced",
    {
      short: ["po"],
      sub: ["status", "eviction", "binding", "log", "exec", "attach", "portforward", "proxy"],
      all: true,
    },
  ],
  ["v1", "namespaces", "Namespace", "cluster", { short: ["ns"], sub: ["status"] }],
  ["v1", "serviceaccounts", "ServiceAccount", "namespaced", { short: ["sa"], sub: ["token"] }],
  ["v1", "secrets", "Secret", "namespaced"],
  ["v1", "configmaps", "ConfigMap", "namespaced", { short: ["cm"] }],
  ["v1", "events", "Event", "namespaced", { short: ["ev"] }],
  ["v1", "services", "Service", "namespaced", { short: ["svc"], sub: ["status"], all: true }],
  ["v1", "endpoints", "Endpoints", "namespaced", { short: ["ep"] }],
  ["v1", "replicationcontrollers", "ReplicationController", "namespaced", { ...scaled, short: ["rc"] }],
  ["v1", "persistentvolumes", "PersistentVolume", "cluster", { short: ["pv"], sub: ["status"] }],
  ["v1", "persistentvolumeclaims", "PersistentVolumeClaim", "namespaced", { short: ["pvc"], sub: ["status"] }],
  ["apps/v1", "daemonsets", "DaemonSet", "namespaced", { short: ["ds"], sub: ["status"], all: true }],
  ["apps/v1", "deployments", "Deployment", "namespaced", { ...scaled, short: ["deploy"] }],
  ["apps/v1", "replicasets", "ReplicaSet", "namespaced", { ...scaled, short: ["rs"] }],
  ["apps/v1", "statefulsets", "StatefulSet", "namespaced", { ...scaled, short: ["sts"] }],
  ["batch/v1", "jobs", "Job", "namespaced", { sub: ["status"], all: true }],
  ["policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", "namespaced", { short: ["pdb"], sub: ["status"] }],
  ["coordination.k8s.io/v1", "leases", "Lease", "namespaced"],
  [
    "certificates.k8s.io/v1",
    "certificatesigningrequests",
    "CertificateSigningRequest",
    "cluster",
    { short: ["csr"], sub: ["status", "approval"] },
  ],
  ["storage.k8s.io/v1", "volumeattachments", "VolumeAttachment", "cluster", { sub: ["status"] }],
  ["storage.k8s.io/v1", "csinodes", "CSINode", "cluster"],
  ["node.k8s.io/v1", "runtimeclasses", "RuntimeClass", "cluster"],
  ["rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", "cluster"],
  ["rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding", "cluster"],
  ["rbac.authorization.k8s.io/v1", "roles", "Role", "namespaced"],
  ["rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding", "namespaced"],
  [
    "admissionregistration.k8s.io/v1",
    "validatingadmissionpolicies",
    "ValidatingAdmissionPolicy",
    "cluster",
    { sub: ["status"] },
  ],
  [
    "admissionregistration.k8s.io/v1",
    "validatingadmissionpolicybindings",
    "ValidatingAdmissionPolicyBinding",
    "cluster",
  ],
  ["authentication.k8s.io/v1", "tokenreviews", "TokenReview", "cluster", { virtual: true }],
  ["authentication.k8s.io/v1", "selfsubjectreviews", "SelfSubjectReview", "cluster", { virtual: true }],
  ["authorization.k8s.io/v1", "subjectaccessreviews", "SubjectAccessReview", "cluster", { virtual: true }],
  ["authorization.k8s.io/v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", "cluster", { virtual: true }],
  ["authorization.k8s.io/v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", "cluster", { virtual: true }],
  ["machine.openshift.io/v1beta1", "machines", "Machine", "namespaced", { custom: true, sub: ["status"] }],
  [
    "machine.openshift.io/v1beta1",
    "machinesets",
    "MachineSet",
    "namespaced",
    { custom: true, sub: ["status", "scale"] },
  ],
  ["machine.openshift.io/v1beta1", "machinehealthchecks", "MachineHealthCheck", "namespaced", { custom: true }],
  ["operator.openshift.io/v1", "networks", "Network", "cluster", { custom: true }],
  [
    "machineconfiguration.openshift.io/v1",
    "controllerconfigs",
    "ControllerConfig",
    "cluster",
    { custom: true, sub: ["status"] },
  ],
  ["config.openshift.io/v1", "clusterversions", "ClusterVersion", "cluster", { custom: true, sub: ["status"] }],
  [
    "operators.coreos.com/v2",
    "operatorconditions",
    "OperatorCondition",
    "namespaced",
    { custom: true, short: ["condition"], sub: ["status"] },
  ],
  ["config.openshift.io/v1", "proxies", "Proxy", "cluster", { custom: true, sub: ["status"] }],
  [
    "config.openshift.io/v1",
    "imagedigestmirrorsets",
    "ImageDigestMirrorSet",
    "cluster",
    { custom: true, short: ["idms"], sub: ["status"] },
  ],
  [
    "config.openshift.io/v1",
    "imagetagmirrorsets",
    "ImageTagMirrorSet",
    "cluster",
    { custom: true, short: ["itms"], sub: ["status"] },
  ],
  [
    "operator.openshift.io/v1alpha1",
    "imagecontentsourcepolicies",
    "ImageContentSourcePolicy",
    "cluster",
    { custom: true, sub: ["status"] },
  ],
  ["config.openshift.io/v1", "images", "Image", "cluster", { custom: true, sub: ["status"] }],
];

const kept = { kept: true } as const;
const keptWithStatus = { ...kept, sub: ["status"] } as const;

/** Kinds that every cluster has and that controllers list and watch before they start; here they are only stored. */
export const keptLines: readonly Line[] = [
  ["v1", "limitranges", "LimitRange", "namespaced", { ...kept, short: ["limits"] }],
  ["v1", "resourcequotas", "ResourceQuota", "namespaced", { ...keptWithStatus, short: ["quota"] }],
  ["v1", "podtemplates", "PodTemplate", "namespaced", kept],
  ["apps/v1", "controllerrevisions", "ControllerRevision", "namespaced", kept],
  ["batch/v1", "cronjobs", "CronJob", "namespaced", { ...keptWithStatus, short: ["cj"], all: true }],
  [
    "autoscaling/v2",
    "horizontalpodautoscalers",
    "HorizontalPodAutoscaler",
    "namespaced",
    { ...keptWithStatus, short: ["hpa"], all: true },
  ],
  ["events.k8s.io/v1", "events", "Event", "namespaced", { ...kept, short: ["ev"] }],
  ["discovery.k8s.io/v1", "endpointslices", "EndpointSlice", "namespaced", kept],
  ["networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", "namespaced", { ...kept, short: ["netpol"] }],
  ["networking.k8s.io/v1", "ingresses", "Ingress", "namespaced", { ...keptWithStatus, short: ["ing"] }],
  ["networking.k8s.io/v1", "ingressclasses", "IngressClass", "cluster", kept],
  ["networking.k8s.io/v1", "ipaddresses", "IPAddress", "cluster", { ...kept, short: ["ip"] }],
  ["networking.k8s.io/v1", "servicecidrs", "ServiceCIDR", "cluster", keptWithStatus],
  ["scheduling.k8s.io/v1", "priorityclasses", "PriorityClass", "cluster", { ...kept, short: ["pc"] }],
  ["storage.k8s.io/v1", "storageclasses", "StorageClass", "cluster", { ...kept, short: ["sc"] }],
  ["storage.k8s.io/v1", "csidrivers", "CSIDriver", "cluster", kept],
  ["storage.k8s.io/v1", "csistoragecapacities", "CSIStorageCapacity", "namespaced", kept],
  ["storage.k8s.io/v1", "volumeattributesclasses", "VolumeAttributesClass", "cluster", { ...kept, short: ["vac"] }],
  ["resource.k8s.io/v1", "resourceclaims", "ResourceClaim", "namespaced", keptWithStatus],
  ["resource.k8s.io/v1", "resourceclaimtemplates", "ResourceClaimTemplate", "namespaced", kept],
  ["resource.k8s.io/v1", "resourceslices", "ResourceSlice", "cluster", kept],
  ["resource.k8s.io/v1", "deviceclasses", "DeviceClass", "cluster", kept],
  [
    "apiextensions.k8s.io/v1",
    "customresourcedefinitions",
    "CustomResourceDefinition",
    "cluster",
    { ...keptWithStatus, short: ["crd", "crds"] },
  ],
  ["apiregistration.k8s.io/v1", "apiservices", "APIService", "cluster", keptWithStatus],
  ["flowcontrol.apiserver.k8s.io/v1", "flowschemas", "FlowSchema", "cluster", keptWithStatus],
  [
    "flowcontrol.apiserver.k8s.io/v1",
    "prioritylevelconfigurations",
    "PriorityLevelConfiguration",
    "cluster",
    keptWithStatus,
  ],
  [
    "config.openshift.io/v1",
    "clusteroperators",
    "ClusterOperator",
    "cluster",
    { custom: true, short: ["co"], sub: ["status"] },
  ],
  ["config.openshift.io/v1", "infrastructures", "Infrastructure", "cluster", { custom: true, sub: ["status"] }],
  ["config.openshift.io/v1", "networks", "Network", "cluster", { custom: true }],
  [
    "machineconfiguration.openshift.io/v1",
    "machineconfigpools",
    "MachineConfigPool",
    "cluster",
    { custom: true, short: ["mcp"], sub: ["status"] },
  ],
];
