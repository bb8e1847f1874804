import { timestamp } from "../model/object.ts";
import {
  type Condition,
  type ContainerStatus,
  conditionOf,
  isFinished,
  isTrue,
  type Node,
  type Pod,
  type VolumeAttachment,
} from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { keyOf } from "./controller.ts";
import { waitForImages } from "./image-pulls.ts";
import { AGAIN, containersHang, type Obstacle, obstacle } from "./kubelet-faults.ts";
import { isKubeletAlive, leases, nodes, osOf, pods, podsOn } from "./nodes.ts";
import { completed, endsByItself } from "./pod-completion.ts";
import { attachments, waitsForVolume } from "./volumes.ts";

/** From binding to readiness: image pull and start. Windows images are gigabytes (both assumed). */
const STARTING: Readonly<Record<string, number>> = { linux: 3_000, windows: 20_000 };

/** Milliseconds that a container takes to stop (assumed); a preStop hook that sleeps adds to it. */
const STOPPING = 2_000;

/** Exit code of a container that was killed. Its kubelet reports the end before it deletes the pod (KEP-3329). */
const KILLED = 137;

const sleepOf = (pod: Pod): number =>
  Math.max(0, ...pod.spec.containers.map(({ lifecycle }) => (lifecycle?.preStop?.sleep?.seconds ?? 0) * 1000));

/** Computes the time at which a terminating pod ends: by itself, or killed at the end of its grace. */
function endOf(pod: Pod): number {
  const latest = Date.parse(pod.metadata.deletionTimestamp ?? "");
  const told = latest - (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return Math.min(latest, told + sleepOf(pod) + STOPPING);
}

const containerStatus =
  (now: string) =>
  ({ name, image = "" }: Pod["spec"]["containers"][number]): ContainerStatus => ({
    name,
    image,
    imageID: image,
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: now } },
  });

const conditionsOf = (pod: Pod, now: string): Condition[] => {
  const types = ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady"];
  const others = (pod.status?.conditions ?? []).filter(({ type }) => !types.includes(type));
  return [...types.map((type): Condition => ({ type, status: "True", lastTransitionTime: now })), ...others];
};

const hostIPOf = (node: Node): string | undefined =>
  node.status?.addresses?.find(({ type }) => type === "InternalIP")?.address;

/** Picks an address in the node's subnet; nothing depends on it, so two pods may show the same (assumed). */
function addressOf(pod: Pod, node: Node, hostIP: string | undefined): string | undefined {
  if (pod.spec.hostNetwork) return hostIP;
  const subnet =
    node.metadata.annotations?.["k8s.ovn.org/hybrid-overlay-node-subnet"] ?? node.spec.podCIDR ?? "10.128.0.0/23";
  const [first, second, third] = subnet.split(".");
  return `${first}.${second}.${third}.${(Number.parseInt(pod.metadata.uid.slice(0, 4), 16) % 250) + 4}`;
}

function running(pod: Pod, node: Node, at: number): Pod {
  const now = timestamp(at);
  const hostIP = hostIPOf(node);
  const podIP = pod.status?.podIP ?? addressOf(pod, node, hostIP);
  return {
    ...pod,
    status: {
      ...pod.status,
      phase: "Running",
      startTime: pod.status?.startTime ?? now,
      conditions: conditionsOf(pod, now),
      containerStatuses:
        pod.status?.phase === "Running" && pod.status.containerStatuses
          ? pod.status.containerStatuses
          : pod.spec.containers.map(containerStatus(now)),
      ...(hostIP ? { hostIP } : {}),
      ...(podIP ? { podIP, podIPs: [{ ip: podIP }] } : {}),
    },
  };
}

/** Finds what keeps a pod from starting, and when its kubelet tries again. */
function hindrance(cluster: Cluster, pod: Pod, node: Node): Obstacle | undefined {
  const found = obstacle(cluster, pod, node);
  if (found) return found;
  const again = waitForImages(cluster, pod, node);
  return again === undefined ? undefined : { again };
}

function announce({ record }: Cluster, pod: Pod): void {
  const message = `Container started: ${pod.spec.containers[0]?.name}`;
  record({ component: "kubelet", about: pod, type: "Normal", reason: "Started", message });
}

/** Judges whether the containers of a pod that was told to end do not end; the next boot of the node ends them. */
function hanging({ simulation }: Cluster): (pod: Pod, node: Node) => boolean {
  /** Boot in which they were first found not to end, by the pod's UID. */
  const since = new Map<string, string>();
  return ({ metadata: { uid, namespace, name } }, node) => {
    const facts = { node: node.metadata.name, pod: name, ...(namespace ? { namespace } : {}) };
    if (!simulation.faults.applies(containersHang.kind, facts)) return false;
    const boot = node.status?.nodeInfo?.bootID ?? "";
    if (!since.has(uid)) since.set(uid, boot);
    return since.get(uid) === boot;
  };
}

/** The kubelets' work on their pods: starts bound pods and ends deleted ones, while the kubelet is alive. */
export function podLifecycle(cluster: Cluster): Controller {
  const { simulation, objects, registry } = cluster;
  const hangs = hanging(cluster);

  const start = (pod: Pod, node: Node): number | undefined => {
    const now = simulation.clock.now();
    if (waitsForVolume(objects, pod)) return undefined;
    const scheduled =
      conditionOf(pod.status?.conditions, "PodScheduled")?.lastTransitionTime ?? pod.metadata.creationTimestamp;
    const due = pod.status?.phase === "Running" ? now : Date.parse(scheduled) + (STARTING[osOf(node)] ?? STOPPING);
    if (now < due) return due;
    const held = hindrance(cluster, pod, node);
    if (held) return held.again;
    const wasPending = pod.status?.phase !== "Running";
    objects.replace(pods, running(pod, node, now));
    if (wasPending) announce(cluster, pod);
    return endsByItself(running(pod, node, now));
  };

  const end = (pod: Pod, node: Node): number | undefined => {
    const now = simulation.clock.now();
    if (now < endOf(pod)) return endOf(pod);
    if (hangs(pod, node)) return now + AGAIN;
    const { uid, namespace, name, finalizers } = pod.metadata;
    if (finalizers?.length && !isFinished(pod)) objects.replace(pods, completed(pod, now, KILLED));
    registry.remove({ type: pods, namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid } });
    return undefined;
  };

  const complete = (pod: Pod): number | undefined => {
    const due = endsByItself(pod);
    if (due === undefined || simulation.clock.now() < due) return due;
    objects.replace(pods, completed(pod, simulation.clock.now()));
    return undefined;
  };

  const care = (pod: Pod, node: Node): number | undefined => {
    if (pod.metadata.deletionTimestamp) return end(pod, node);
    if (isFinished(pod)) return undefined;
    if (isTrue(pod.status?.conditions, "Ready")) return complete(pod);
    return isTrue(node.status?.conditions, "Ready") ? start(pod, node) : undefined;
  };

  /** Finds the node whose pods need care again: its lease was renewed after a silence. */
  const concernedNode = (change: Parameters<NonNullable<Controller["concerns"]>>[0]): string | undefined => {
    if (change.type === nodes) return change.object.metadata.name;
    if (change.type === attachments) return (change.object as VolumeAttachment).spec.nodeName;
    return change.type === leases && change.kind === "ADDED" ? change.object.metadata.name : undefined;
  };

  return {
    name: "pod-lifecycle",
    type: pods,
    concerns: (change) => {
      const node = concernedNode(change);
      return node ? podsOn(cluster, node).map(keyOf) : [];
    },
    reconcile: ({ namespace, name }) => {
      const pod = objects.get<Pod>(pods, namespace, name);
      const node = pod?.spec.nodeName ? objects.get<Node>(nodes, undefined, pod.spec.nodeName) : undefined;
      return pod && node && isKubeletAlive(cluster, node) ? care(pod, node) : undefined;
    },
  };
}
