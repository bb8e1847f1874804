import { at, fieldsOf, type KubeObject, listOf } from "../model/object.ts";
import type { Toleration } from "../model/shapes.ts";

/** Seconds that a pod stays on a lost node (admission plugin DefaultTolerationSeconds). */
const STAYS = 300;

const lostNode = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];

/** Adds the tolerations that every pod gets unless it says something about the same taint. */
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
  serviceAccountName: "default",
  securityContext: {},
};

/** A pod with what the API server fills in: spec defaults, tolerations of lost nodes, phase Pending. */
export function podDefaults(object: KubeObject): KubeObject {
  const spec = { ...podSpecDefaults, ...fieldsOf(object.spec) };
  return {
    ...object,
    spec: { ...spec, tolerations: tolerations(listOf<Toleration>(at(spec, "tolerations"))) },
    status: { phase: "Pending", qosClass: "BestEffort" },
  };
}

const specDefaults: Readonly<Record<string, Record<string, unknown>>> = {
  Deployment: { replicas: 1, progressDeadlineSeconds: 600, revisionHistoryLimit: 10 },
  ReplicaSet: { replicas: 1 },
  StatefulSet: { replicas: 1, podManagementPolicy: "OrderedReady", revisionHistoryLimit: 10 },
  DaemonSet: { revisionHistoryLimit: 10 },
};

/** A workload with what the API server fills in. */
export const workloadDefaults = (object: KubeObject): KubeObject => ({
  ...object,
  spec: { ...specDefaults[object.kind], ...fieldsOf(object.spec) },
});
