/**
 * The protobuf messages that kubectl and the controllers of a control plane send, field by field: number, name, type.
 * Numbers are those of the generated.proto files of k8s.io/api and k8s.io/apimachinery. A kind that two groups have is
 * prefixed with its version. Types: text, number, flag, bytes, time, micro (MicroTime), quantity, amount (IntOrString),
 * list (a list of texts that is a value itself, as ExtraValue), a message's name, or one of these with [] (repeated) or {} (map from text).
 * A field named "-" is inlined in JSON: its own fields stand in its place. A "?" keeps zero values: Go writes the others even when
 * they are not set. A field that is not listed is refused, not dropped.
 */
const lines: Readonly<Record<string, string>> = {
  ObjectMeta:
    "1 name text, 2 generateName text, 3 namespace text, 4 selfLink text, 5 uid text, 6 resourceVersion text, 7 generation number, 8 creationTimestamp time, 9 deletionTimestamp time, 10 deletionGracePeriodSeconds number?, 11 labels text{}, 12 annotations text{}, 13 ownerReferences OwnerReference[], 14 finalizers text[]",
  OwnerReference:
    "1 kind text, 3 name text, 4 uid text, 5 apiVersion text, 6 controller flag?, 7 blockOwnerDeletion flag?",
  LabelSelector: "1 matchLabels text{}, 2 matchExpressions LabelSelectorRequirement[]",
  LabelSelectorRequirement: "1 key text, 2 operator text, 3 values text[]",
  DeleteOptions:
    "1 gracePeriodSeconds number?, 2 preconditions Preconditions, 3 orphanDependents flag?, 4 propagationPolicy text, 5 dryRun text[]",
  Preconditions: "1 uid text, 2 resourceVersion text",
  CertificateSigningRequest:
    "1 metadata ObjectMeta, 2 spec CertificateSigningRequestSpec, 3 status CertificateSigningRequestStatus",
  CertificateSigningRequestSpec:
    "1 request bytes, 2 username text, 3 uid text, 4 groups text[], 5 usages text[], 6 extra list{}, 7 signerName text, 8 expirationSeconds number?",
  CertificateSigningRequestStatus: "1 conditions CertificateSigningRequestCondition[], 2 certificate bytes",
  CertificateSigningRequestCondition:
    "1 type text, 2 reason text, 3 message text, 4 lastUpdateTime time, 5 lastTransitionTime time, 6 status text",
  Eviction: "1 metadata ObjectMeta, 2 deleteOptions DeleteOptions",
  SelfSubjectAccessReview: "1 metadata ObjectMeta, 2 spec SelfSubjectAccessReviewSpec, 3 status Ignored",
  SelfSubjectAccessReviewSpec: "1 resourceAttributes ResourceAttributes, 2 nonResourceAttributes NonResourceAttributes",
  ResourceAttributes:
    "1 namespace text, 2 verb text, 3 group text, 4 version text, 5 resource text, 6 subresource text, 7 name text",
  NonResourceAttributes: "1 path text, 2 verb text",
  SelfSubjectRulesReview: "1 metadata ObjectMeta, 2 spec SelfSubjectRulesReviewSpec, 3 status Ignored",
  SelfSubjectRulesReviewSpec: "1 namespace text",
  SelfSubjectReview: "1 metadata ObjectMeta, 2 status Ignored",
  TokenRequest: "1 metadata ObjectMeta, 2 spec TokenRequestSpec, 3 status Ignored",
  TokenRequestSpec: "1 audiences text[], 3 boundObjectRef BoundObjectReference, 4 expirationSeconds number?",
  BoundObjectReference: "1 kind text, 2 apiVersion text, 3 name text, 4 uid text",
  Namespace: "1 metadata ObjectMeta, 2 spec NamespaceSpec, 3 status Ignored",
  NamespaceSpec: "1 finalizers text[]",
  ConfigMap: "1 metadata ObjectMeta, 2 data text{}, 3 binaryData bytes{}, 4 immutable flag?",
  Secret: "1 metadata ObjectMeta, 2 data bytes{}, 3 type text, 4 stringData text{}, 5 immutable flag?",
  ServiceAccount:
    "1 metadata ObjectMeta, 2 secrets ObjectReference[], 3 imagePullSecrets ObjectReference[], 4 automountServiceAccountToken flag?",
  ObjectReference:
    "1 kind text, 2 namespace text, 3 name text, 4 uid text, 5 apiVersion text, 6 resourceVersion text, 7 fieldPath text",
  PodDisruptionBudget: "1 metadata ObjectMeta, 2 spec PodDisruptionBudgetSpec, 3 status Ignored",
  PodDisruptionBudgetSpec:
    "1 minAvailable amount, 2 selector LabelSelector, 3 maxUnavailable amount, 4 unhealthyPodEvictionPolicy text",
  Lease: "1 metadata ObjectMeta, 2 spec LeaseSpec",
  LeaseSpec:
    "1 holderIdentity text, 2 leaseDurationSeconds number?, 3 acquireTime micro, 4 renewTime micro, 5 leaseTransitions number?, 6 strategy text, 7 preferredHolder text",
  Event:
    "1 metadata ObjectMeta, 2 involvedObject ObjectReference, 3 reason text, 4 message text, 5 source EventSource, 6 firstTimestamp time, 7 lastTimestamp time, 8 count number, 9 type text, 10 eventTime micro, 11 series EventSeries, 12 action text, 13 related ObjectReference, 14 reportingComponent text, 15 reportingInstance text",
  EventSource: "1 component text, 2 host text",
  EventSeries: "1 count number, 2 lastObservedTime micro",
  "events.k8s.io/v1 Event":
    "1 metadata ObjectMeta, 2 eventTime micro, 3 series EventSeries, 4 reportingController text, 5 reportingInstance text, 6 action text, 7 reason text, 8 regarding ObjectReference, 9 related ObjectReference, 10 note text, 11 type text, 12 deprecatedSource EventSource, 13 deprecatedFirstTimestamp time, 14 deprecatedLastTimestamp time, 15 deprecatedCount number",
  Binding: "1 metadata ObjectMeta, 2 target ObjectReference",
  Pod: "1 metadata ObjectMeta, 2 spec PodSpec, 3 status Ignored",
  ReplicaSet: "1 metadata ObjectMeta, 2 spec ReplicaSetSpec, 3 status ReplicaSetStatus",
  ReplicaSetSpec: "1 replicas number?, 2 selector LabelSelector, 3 template PodTemplateSpec, 4 minReadySeconds number",
  ReplicaSetStatus:
    "1 replicas number?, 2 fullyLabeledReplicas number, 3 observedGeneration number, 4 readyReplicas number, 5 availableReplicas number, 6 conditions ReplicaSetCondition[], 7 terminatingReplicas number?",
  ReplicaSetCondition: "1 type text, 2 status text, 3 lastTransitionTime time, 4 reason text, 5 message text",
  Deployment: "1 metadata ObjectMeta, 2 spec DeploymentSpec, 3 status DeploymentStatus",
  DeploymentStatus:
    "1 observedGeneration number, 2 replicas number, 3 updatedReplicas number, 4 availableReplicas number, 5 unavailableReplicas number, 6 conditions DeploymentCondition[], 7 readyReplicas number, 8 collisionCount number?, 9 terminatingReplicas number?",
  DeploymentCondition:
    "1 type text, 2 status text, 4 reason text, 5 message text, 6 lastUpdateTime time, 7 lastTransitionTime time",
  DeploymentSpec:
    "1 replicas number?, 2 selector LabelSelector, 3 template PodTemplateSpec, 4 strategy DeploymentStrategy, 5 minReadySeconds number, 6 revisionHistoryLimit number?, 7 paused flag, 9 progressDeadlineSeconds number?",
  DeploymentStrategy: "1 type text, 2 rollingUpdate RollingUpdateDeployment",
  RollingUpdateDeployment: "1 maxUnavailable amount, 2 maxSurge amount",
  PodTemplateSpec: "1 metadata ObjectMeta, 2 spec PodSpec",
  PodSpec:
    "2 containers Container[], 3 restartPolicy text, 4 terminationGracePeriodSeconds number?, 6 dnsPolicy text, 7 nodeSelector text{}, 8 serviceAccountName text, 9 serviceAccount text, 10 nodeName text, 11 hostNetwork flag, 12 hostPID flag, 13 hostIPC flag, 14 securityContext PodSecurityContext, 16 hostname text, 17 subdomain text, 19 schedulerName text, 21 automountServiceAccountToken flag?, 22 tolerations Toleration[], 24 priorityClassName text, 25 priority number?, 30 enableServiceLinks flag?, 31 preemptionPolicy text",
  PodSecurityContext: "2 runAsUser number?, 3 runAsNonRoot flag?, 5 fsGroup number?, 6 runAsGroup number?",
  Toleration: "1 key text, 2 operator text, 3 value text, 4 effect text, 5 tolerationSeconds number?",
  ResourceRequirements: "1 limits quantity{}, 2 requests quantity{}",
  Container:
    "1 name text, 2 image text, 3 command text[], 4 args text[], 5 workingDir text, 6 ports ContainerPort[], 7 env EnvVar[], 8 resources ResourceRequirements, 13 terminationMessagePath text, 14 imagePullPolicy text, 16 stdin flag, 17 stdinOnce flag, 18 tty flag, 20 terminationMessagePolicy text",
  ContainerPort: "1 name text, 2 hostPort number, 3 containerPort number, 4 protocol text, 5 hostIP text",
  EnvVar: "1 name text, 2 value text",
  Service: "1 metadata ObjectMeta, 2 spec ServiceSpec, 3 status Ignored",
  ServiceSpec:
    "1 ports ServicePort[], 2 selector text{}, 3 clusterIP text, 4 type text, 5 externalIPs text[], 7 sessionAffinity text, 8 loadBalancerIP text, 9 loadBalancerSourceRanges text[], 10 externalName text, 11 externalTrafficPolicy text, 12 healthCheckNodePort number, 13 publishNotReadyAddresses flag, 17 ipFamilyPolicy text, 18 clusterIPs text[], 19 ipFamilies text[], 20 allocateLoadBalancerNodePorts flag?, 21 loadBalancerClass text, 22 internalTrafficPolicy text, 23 trafficDistribution text",
  ServicePort:
    "1 name text, 2 protocol text, 3 port number, 4 targetPort amount, 5 nodePort number, 6 appProtocol text",
  Job: "1 metadata ObjectMeta, 2 spec JobSpec, 3 status Ignored",
  JobSpec:
    "1 parallelism number?, 2 completions number?, 3 activeDeadlineSeconds number?, 4 selector LabelSelector, 5 manualSelector flag?, 6 template PodTemplateSpec, 7 backoffLimit number?, 8 ttlSecondsAfterFinished number?, 9 completionMode text, 10 suspend flag?, 12 backoffLimitPerIndex number?, 13 maxFailedIndexes number?, 14 podReplacementPolicy text, 15 managedBy text",
  CronJob: "1 metadata ObjectMeta, 2 spec CronJobSpec, 3 status Ignored",
  CronJobSpec:
    "1 schedule text, 2 startingDeadlineSeconds number?, 3 concurrencyPolicy text, 4 suspend flag?, 5 jobTemplate JobTemplateSpec, 6 successfulJobsHistoryLimit number?, 7 failedJobsHistoryLimit number?, 8 timeZone text",
  JobTemplateSpec: "1 metadata ObjectMeta, 2 spec JobSpec",
  ResourceQuota: "1 metadata ObjectMeta, 2 spec ResourceQuotaSpec, 3 status Ignored",
  ResourceQuotaSpec: "1 hard quantity{}, 2 scopes text[]",
  PriorityClass:
    "1 metadata ObjectMeta, 2 value number?, 3 globalDefault flag, 4 description text, 5 preemptionPolicy text",
  Ingress: "1 metadata ObjectMeta, 2 spec IngressSpec, 3 status Ignored",
  IngressSpec: "1 defaultBackend IngressBackend, 2 tls IngressTLS[], 3 rules IngressRule[], 4 ingressClassName text",
  IngressTLS: "1 hosts text[], 2 secretName text",
  IngressRule: "1 host text, 2 - IngressRuleValue",
  IngressRuleValue: "1 http HTTPIngressRuleValue",
  HTTPIngressRuleValue: "1 paths HTTPIngressPath[]",
  HTTPIngressPath: "1 path text, 2 backend IngressBackend, 3 pathType text",
  IngressBackend: "4 service IngressServiceBackend",
  IngressServiceBackend: "1 name text, 2 port ServiceBackendPort",
  ServiceBackendPort: "1 name text, 2 number number",
  Role: "1 metadata ObjectMeta, 2 rules PolicyRule[]",
  ClusterRole: "1 metadata ObjectMeta, 2 rules PolicyRule[], 3 aggregationRule AggregationRule",
  AggregationRule: "1 clusterRoleSelectors LabelSelector[]",
  PolicyRule:
    "1 verbs text[], 2 apiGroups text[], 3 resources text[], 4 resourceNames text[], 5 nonResourceURLs text[]",
  RoleBinding: "1 metadata ObjectMeta, 2 subjects Subject[], 3 roleRef RoleRef",
  ClusterRoleBinding: "1 metadata ObjectMeta, 2 subjects Subject[], 3 roleRef RoleRef",
  Subject: "1 kind text, 2 apiGroup text, 3 name text, 4 namespace text",
  RoleRef: "1 apiGroup text, 2 kind text, 3 name text",
};

/** Rules for reading one field. */
export interface FieldType {
  /** Name in JSON; "-" if its own fields stand in its place. */
  readonly name: string;
  readonly type: string;
  readonly repeated: boolean;
  readonly map: boolean;
  readonly keepsZero: boolean;
}

function fieldType(line: string): [number, FieldType] {
  const [number, name = "", written = ""] = line.trim().split(" ");
  return [
    Number(number),
    {
      name,
      type: written.replace(/[[\]{}?]/g, ""),
      repeated: written.endsWith("[]"),
      map: written.endsWith("{}"),
      keepsZero: written.endsWith("?"),
    },
  ];
}

/** Fields by number, of every known message. */
export const messages: ReadonlyMap<string, ReadonlyMap<number, FieldType>> = new Map(
  Object.entries(lines).map(([name, fields]) => [name, new Map(fields.split(", ").map(fieldType))]),
);
