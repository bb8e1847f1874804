import type { ContainerStatus, Node, Pod } from "../model/shapes.ts";
import type { Cluster } from "./controller.ts";
import { osOf, pods } from "./nodes.ts";

/**
 * Milliseconds until a kubelet retries a pull: its backoff grows from ten seconds to five minutes; a minute is assumed.
 */
const PULL_AGAIN = 60_000;

/** Shows a pod whose image cannot be pulled, as `kubectl describe pod` does. */
function withoutImage(pod: Pod, image: string, why: string): Pod {
  const message = `Back-off pulling image "${image}": ErrImagePull: ${why}`;
  const waiting = ({ name, image: own = "" }: Pod["spec"]["containers"][number]): ContainerStatus => ({
    name,
    image: own,
    imageID: "",
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason: "ImagePullBackOff", message } },
  });
  return { ...pod, status: { ...pod.status, phase: "Pending", containerStatuses: pod.spec.containers.map(waiting) } };
}

const instanceOf = (node: Node): string =>
  String(node.spec.providerID ?? "")
    .split("/")
    .at(-1) ?? "";

/**
 * Keeps a Windows pod waiting when its node cannot pull one of its images.
 * @returns the time of the kubelet's next attempt, in milliseconds of sandbox time; undefined when all images are there
 */
export function waitForImages(cluster: Cluster, pod: Pod, node: Node): number | undefined {
  if (osOf(node) !== "windows" || pod.status?.phase === "Running") return undefined;
  const { simulation, objects, record } = cluster;
  for (const { image = "" } of pod.spec.containers) {
    const why = cluster.pull(instanceOf(node), image);
    if (why === undefined) continue;
    if (!pod.status?.containerStatuses?.some(({ state }) => "waiting" in state)) {
      objects.replace(pods, withoutImage(pod, image, why));
      const message = `Failed to pull image "${image}": ${why}`;
      record({ component: "kubelet", about: pod, type: "Warning", reason: "Failed", message });
    }
    return simulation.clock.now() + PULL_AGAIN;
  }
  return undefined;
}
