import type { KubeObject } from "./kubernetes/model/object.ts";

// What `npm start` has beside the seed nodes' own pods: each kind that a drain treats in a way of its own.

const builds = { web: "10.0.20348", batch: "10.0.17763" } as const;

const onWindows = (pool: keyof typeof builds) => ({
  nodeSelector: { "kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": builds[pool] },
  tolerations: [{ key: "os", value: "Windows", effect: "NoSchedule" }],
});

const container = (name: string, more: object = {}) => ({
  name,
  image: `registry.example.com/shop/${name}:2.0`,
  resources: { requests: { cpu: "250m", memory: "512Mi" } },
  ...more,
});

const meta = (name: string, more: object = {}) => ({ name, namespace: "default", labels: { app: name }, ...more });

const workload = (kind: string, name: string, spec: object, podSpec: object) => ({
  apiVersion: "apps/v1",
  kind,
  metadata: meta(name),
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: podSpec },
    ...spec,
  },
});

/** A Deployment under a tight budget, whose pods take twenty seconds to end. */
const checkout = [
  workload(
    "Deployment",
    "checkout",
    { replicas: 4 },
    {
      ...onWindows("web"),
      terminationGracePeriodSeconds: 60,
      containers: [container("checkout", { lifecycle: { preStop: { sleep: { seconds: 20 } } } })],
    },
  ),
  {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: meta("checkout"),
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: "checkout" } } },
  },
];

/** A StatefulSet with a disk in one zone. */
const orders = [
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "pvc-orders" },
    spec: {
      csi: { driver: "ebs.csi.aws.com", volumeHandle: "vol-0d15c000000000001" },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: ["us-west-2c"] }] },
          ],
        },
      },
    },
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: meta("orders"),
    spec: { volumeName: "pvc-orders" },
  },
  workload(
    "StatefulSet",
    "orders",
    { replicas: 1, serviceName: "orders" },
    {
      ...onWindows("web"),
      containers: [container("orders")],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "orders" } }],
    },
  ),
];

/** A Job of an hour and a half that must not be interrupted. */
const monthEnd = {
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: meta("month-end"),
  spec: {
    template: {
      metadata: { labels: { app: "month-end" }, annotations: { "casement.dev/do-not-disrupt": "true" } },
      spec: {
        ...onWindows("batch"),
        restartPolicy: "Never",
        containers: [container("month-end", { command: ["powershell", "Start-Sleep", "-Seconds", "5400"] })],
      },
    },
  },
};

/** A pod that a person has started, and that nothing starts again. */
const debug = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: meta("debug"),
  spec: { ...onWindows("web"), containers: [container("debug")] },
};

/** An agent on every Windows node. */
const exporter = workload(
  "DaemonSet",
  "windows-exporter",
  {},
  {
    nodeSelector: { "kubernetes.io/os": "windows" },
    tolerations: [{ operator: "Exists" }],
    containers: [container("windows-exporter")],
  },
);

/** Workloads that make a drain of the demo's nodes realistic; pods are placed by the simulated scheduler. */
export const drainedWorkloads = [...checkout, ...orders, monthEnd, debug, exporter] as unknown as readonly KubeObject[];
