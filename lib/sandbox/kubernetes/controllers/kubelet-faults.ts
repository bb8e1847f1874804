import type { FaultKind } from "../../core/faults.ts";
import { UID_RANGE } from "../access/security-context-constraints.ts";
import { at } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { type ContainerStatus, isFinished, type Node, type Pod } from "../model/shapes.ts";
import type { Cluster } from "./controller.ts";
import { osOf, pods } from "./nodes.ts";
import { events } from "./recorder.ts";

const namespaces = known("namespaces");

/**
 * Milliseconds of a slow pull: `servercore` is 1.5 to 2 GB compressed, and containerd unpacks its layers one by one; a Windows
 * pod is reported to wait 15 to 20 minutes for it (kubernetes-sigs/sig-windows-dev-tools issue 87). Ten minutes are assumed.
 */
const SLOW_PULL = 10 * 60_000;

/** Milliseconds until a kubelet tries again what failed for a pod: the pods' worker comes back within about ten to twenty seconds. */
export const AGAIN = 15_000;

/** Reasons for which a kubelet rejects a pod that is bound to its node, with its words (k8s pkg/kubelet/lifecycle/predicate.go). */
const rejections: Readonly<Record<string, string>> = {
  OutOfpods: "Node didn't have enough resource: pods, requested: 1, used: 110, capacity: 110",
  OutOfcpu: "Node didn't have enough resource: cpu, requested: 100, used: 3950, capacity: 4000",
  NodeAffinity: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
};

const fields = {
  node: "Name of the Node whose kubelet it happens to.",
  namespace: "Namespace of the pod.",
};

/** The fault of containers that outlive every kill; only the node's boot ends them (microsoft/Windows-Containers issue 469). */
export const containersHang: FaultKind = {
  kind: "containers-hang",
  sentence: "The containers of a pod that is told to end do not end before the machine boots.",
  fields: { ...fields, pod: "Name of the pod." },
};

/** Faults of kubelets at the start and the end of pods, on Linux and on Windows nodes. */
export const kubeletFaults: readonly FaultKind[] = [
  containersHang,
  { kind: "image-pull-slow", sentence: "A kubelet takes ten minutes to pull the images of a pod.", fields },
  {
    kind: "pod-rejected",
    sentence: "A kubelet rejects pods that are bound to its node: they fail without having had a container.",
    fields: { ...fields, reason: Object.keys(rejections).join(", ") },
    values: { reason: Object.keys(rejections) },
  },
  {
    kind: "pod-sandbox-fails",
    sentence: "A kubelet cannot create the sandboxes of pods: the container network refuses them an address.",
    fields,
  },
];

const waiting =
  (reason: string, message?: string) =>
  ({ name, image = "" }: Pod["spec"]["containers"][number]): ContainerStatus => ({
    name,
    image,
    imageID: "",
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason, ...(message ? { message } : {}) } },
  });

function hold({ objects }: Cluster, pod: Pod, reason: string, message?: string): void {
  const containerStatuses = pod.spec.containers.map(waiting(reason, message));
  const isHeld = at(pod.status?.containerStatuses?.[0]?.state, "waiting", "reason") === reason;
  if (!isHeld) objects.replace(pods, { ...pod, status: { ...pod.status, phase: "Pending", containerStatuses } });
}

/** Ends a pod as `rejectPod` of k8s pkg/kubelet/kubelet.go does: failed, without the status of a container. */
function reject({ objects, record }: Cluster, pod: Pod, reason: string): void {
  const words = rejections[reason] ?? "";
  const { containerStatuses, ...status } = pod.status ?? {};
  objects.replace(pods, {
    ...pod,
    status: { ...status, phase: "Failed", reason, message: `Pod was rejected: ${words}` },
  });
  record({ component: "kubelet", about: pod, type: "Warning", reason, message: words });
}

/**
 * Holds a pod whose image is being pulled. Until the pull ends the pod shows neither an address nor the condition
 * PodReadyToStartContainers: the kubelet writes its status before and after it starts containers (kubernetes/kubernetes pull
 * request 134660 changes that after 1.34).
 */
function pulls(cluster: Cluster, pod: Pod, now: number): number {
  const [container] = pod.spec.containers;
  hold(cluster, pod, "ContainerCreating");
  const message = `Pulling image "${container?.image ?? ""}"`;
  if (!isKnown(cluster, pod, "Pulling"))
    cluster.record({ component: "kubelet", about: pod, type: "Normal", reason: "Pulling", message });
  return Math.min(now + AGAIN, Date.parse(pod.metadata.creationTimestamp) + SLOW_PULL);
}

/** Has the kubelet written an Event of this reason about the pod? */
const isKnown = ({ objects }: Cluster, { metadata }: Pod, reason: string): boolean =>
  objects
    .list(events, metadata.namespace ?? "default")
    .some((one) => at(one, "involvedObject", "uid") === metadata.uid && at(one, "reason") === reason);

const SANDBOX = "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox";

/** Retries the pod's sandbox: the container network's plugin fails (k8s pkg/kubelet/events/event.go, FailedCreatePodSandBox). */
function lacksSandbox(cluster: Cluster, pod: Pod, now: number): number {
  hold(cluster, pod, "ContainerCreating");
  const message = `${SANDBOX}: plugin type="win-overlay" name="OVNKubernetesHybridOverlayNetwork" failed (add): hcnCreateEndpoint failed in Win32: The object already exists. (0x1392)`;
  cluster.record({ component: "kubelet", about: pod, type: "Warning", reason: "FailedCreatePodSandBox", message });
  return now + AGAIN;
}

/**
 * Must a container run as another user than root, without one being named? Images run as root, as busybox does (assumed of all);
 * OpenShift gives pods a user of their namespace's range.
 */
function runsAsRoot({ objects }: Cluster, { spec, metadata }: Pod): boolean {
  const space = objects.get(namespaces, undefined, metadata.namespace ?? "default");
  if (space?.metadata.annotations?.[UID_RANGE]) return false;
  return spec.containers.some(
    (container) =>
      at(container, "securityContext", "runAsNonRoot") === true &&
      at(container, "securityContext", "runAsUser") === undefined,
  );
}

/** Keeps a container from being made (k8s pkg/kubelet/kuberuntime/security_context.go, verifyRunAsNonRoot). */
function refusesRoot(cluster: Cluster, pod: Pod, now: number): number {
  const why = "container has runAsNonRoot and image will run as root";
  hold(cluster, pod, "CreateContainerConfigError", why);
  cluster.record({ component: "kubelet", about: pod, type: "Warning", reason: "Failed", message: `Error: ${why}` });
  return now + AGAIN;
}

/** Something in a pod's way, and when its kubelet tries again (ms of sandbox time); undefined where it never does. */
export interface Obstacle {
  readonly again: number | undefined;
}

/**
 * Keeps a pod from starting where its kubelet cannot start it.
 * @returns undefined when nothing is in its way
 */
export function obstacle(cluster: Cluster, pod: Pod, node: Node): Obstacle | undefined {
  if (pod.status?.phase === "Running" || isFinished(pod)) return undefined;
  const { clock, faults } = cluster.simulation;
  const now = clock.now();
  const facts = { node: node.metadata.name, namespace: pod.metadata.namespace ?? "default" };
  const reason = Object.keys(rejections).find((one) => faults.applies("pod-rejected", { ...facts, reason: one }));
  if (reason !== undefined) {
    reject(cluster, pod, reason);
    return { again: undefined };
  }
  if (faults.applies("pod-sandbox-fails", facts)) return { again: lacksSandbox(cluster, pod, now) };
  const isPulling = now < Date.parse(pod.metadata.creationTimestamp) + SLOW_PULL;
  if (isPulling && faults.applies("image-pull-slow", facts)) return { again: pulls(cluster, pod, now) };
  const isRoot = osOf(node) === "linux" && runsAsRoot(cluster, pod);
  return isRoot ? { again: refusesRoot(cluster, pod, now) } : undefined;
}
