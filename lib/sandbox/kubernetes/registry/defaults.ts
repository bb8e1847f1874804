import { type Fields, fieldsOf, isFields, type KubeObject, listOf } from "../model/object.ts";
import type { Taint, Toleration } from "../model/shapes.ts";

/** Seconds that a pod stays on a lost node (admission plugin DefaultTolerationSeconds). */
const STAYS = 300;

const lostNode = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Adds the tolerations that every pod gets unless it has one for the same taint. */
function tolerations(given: readonly Toleration[]): Toleration[] {
  const tolerated = (key: string): boolean =>
    given.some((one) => (!one.key || one.key === key) && (!one.effect || one.effect === "NoExecute"));
  const missing = lostNode.filter((key) => !tolerated(key));
  return [
    ...given,
    ...missing.map((key) => ({ key, operator: "Exists" as const, effect: "NoExecute", tolerationSeconds: STAYS })),
  ];
}

const podSpecDefaults = {
  restartPolicy: "Always",
  terminationGracePeriodSeconds: 30,
  dnsPolicy: "ClusterFirst",
  schedulerName: "default-scheduler",
  securityContext: {},
};

/** May the image change between pulls? Without a tag, or with "latest", it may (SetDefaults_Container). */
const isMoving = (image: string): boolean =>
  !image.includes("@") && /^[^:]*$|:latest$/.test(image.split("/").at(-1) ?? "");

const containerDefaults = (container: Fields): Fields => ({
  imagePullPolicy: isMoving(String(container.image ?? "")) ? "Always" : "IfNotPresent",
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
  resources: {},
  ...container,
});

/** Adds the API server's defaults to a pod's spec, alone or in a template (k8s pkg/apis/core/v1/defaults.go). */
function podSpec(spec: unknown): Fields {
  const given = fieldsOf(spec);
  const containers = Array.isArray(given.containers)
    ? { containers: given.containers.map((one) => (isFields(one) ? containerDefaults(one) : one)) }
    : {};
  return { ...podSpecDefaults, ...given, ...containers };
}

/** Adds the API server's defaults to a pod: spec defaults, tolerations of lost nodes, phase Pending. */
export function podDefaults(object: KubeObject): KubeObject {
  const spec: Fields = {
    serviceAccountName: "default",
    enableServiceLinks: true,
    preemptionPolicy: "PreemptLowerPriority",
    priority: 0,
    ...podSpec(object.spec),
  };
  return {
    ...object,
    spec: { ...spec, tolerations: tolerations(listOf<Toleration>(spec.tolerations)) },
    status: { phase: "Pending", qosClass: "BestEffort" },
  };
}

const specDefaults: Readonly<Record<string, Fields>> = {
  Deployment: {
    replicas: 1,
    progressDeadlineSeconds: 600,
    revisionHistoryLimit: 10,
    strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
  },
  ReplicaSet: { replicas: 1 },
  StatefulSet: {
    replicas: 1,
    podManagementPolicy: "OrderedReady",
    revisionHistoryLimit: 10,
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
  },
  DaemonSet: {
    revisionHistoryLimit: 10,
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
  },
};

/** Adds the API server's defaults to a workload and its pod template (k8s pkg/apis/apps/v1/defaults.go). */
export function workloadDefaults(object: KubeObject): KubeObject {
  const spec = { ...specDefaults[object.kind], ...fieldsOf(object.spec) };
  if (!isFields(spec.template)) return { ...object, spec };
  return { ...object, spec: { ...spec, template: { ...spec.template, spec: podSpec(spec.template.spec) } } };
}

const servicePort = (port: Fields): Fields => ({ protocol: "TCP", targetPort: port.port, ...port });

/** Adds the API server's defaults to a Service; the registry assigns addresses and node ports. */
export function serviceDefaults(object: KubeObject): KubeObject {
  const given = fieldsOf(object.spec);
  const isOpen = given.type === "NodePort" || given.type === "LoadBalancer";
  const spec: Fields = {
    type: "ClusterIP",
    sessionAffinity: "None",
    internalTrafficPolicy: "Cluster",
    ...(isOpen ? { externalTrafficPolicy: "Cluster" } : {}),
    ...(given.type === "LoadBalancer" ? { allocateLoadBalancerNodePorts: true } : {}),
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    ...given,
    ports: listOf<Fields>(given.ports).map(servicePort),
  };
  return { ...object, spec, status: { loadBalancer: {} } };
}

/** Makes a Node's pod network and its list of pod networks agree (Convert_v1_NodeSpec_To_core_NodeSpec). */
export function podNetworks(object: KubeObject): KubeObject {
  const { podCIDR, podCIDRs, ...spec } = fieldsOf(object.spec);
  const [first, ...more] = listOf<string>(podCIDRs);
  const one = podCIDR || first;
  if (!one) return object;
  return { ...object, spec: { ...spec, podCIDR: one, podCIDRs: one === first ? [one, ...more] : [one] } };
}

/** Labels a Namespace with its name, at every write (k8s pkg/apis/core/v1/defaults.go SetDefaults_Namespace). */
export const namespaceName = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { ...object.metadata.labels, "kubernetes.io/metadata.name": object.metadata.name },
  },
});

/** Adds the API server's defaults to a Namespace. */
export const namespaceDefaults = (object: KubeObject): KubeObject => ({
  ...namespaceName(object),
  spec: { finalizers: ["kubernetes"] },
  status: { phase: "Active" },
});

/** Adds the status of a budget that its controller has not seen: its numbers are written though they are 0 (k8s.io/api/policy/v1). */
export const budgetDefaults = (object: KubeObject): KubeObject => ({
  ...object,
  status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
});

/** Adds the status of a signing request that nobody has judged: it is written though it is empty. */
export const emptyStatus = (object: KubeObject): KubeObject => ({ ...object, status: {} });

/** Adds the fields of an Event that are written though they are empty (k8s.io/api/core/v1 Event). */
export const eventDefaults = (object: KubeObject): KubeObject => ({
  ...object,
  eventTime: object.eventTime ?? null,
  reportingComponent: object.reportingComponent ?? "",
  reportingInstance: object.reportingInstance ?? "",
});

/**
 * Taints a new Node as not ready, so that no pod is bound to it before its first heartbeat (k8s
 * plugin/pkg/admission/nodetaint).
 */
export function notReadyTaint(object: KubeObject): KubeObject {
  const spec = fieldsOf(object.spec);
  const taints = listOf<Taint>(spec.taints);
  const [key = ""] = lostNode;
  if (taints.some((one) => one.key === key && one.effect === "NoSchedule")) return object;
  return { ...object, spec: { ...spec, taints: [...taints, { key, effect: "NoSchedule" }] } };
}
