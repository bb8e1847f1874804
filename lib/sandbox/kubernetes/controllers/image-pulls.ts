import type { Images } from "../../core/ports.ts";
import type { Collection } from "../../core/store.ts";
import { at } from "../model/object.ts";
import type { Container, ContainerStatus, Node, Pod } from "../model/shapes.ts";
import type { Cluster } from "./controller.ts";
import { osOf, pods } from "./nodes.ts";

/** Milliseconds for which a kubelet waits after a failed pull: ten seconds, doubled up to five minutes (image_manager.go). */
const FIRST_WAIT = 10_000;
const LONGEST_WAIT = 300_000;

/** Milliseconds until a kubelet looks at a pod again after a failed pull (assumed). */
const SYNC = 5_000;

/** Duration and size of a pull, as its Event tells them (assumed). */
const PULLED_IN = "1.2s (1.2s including waiting). Image size: 120586240 bytes.";

/** The last failed pull for a pod. */
interface FailedPull {
  readonly image: string;
  /** Reason of the waiting container: "ErrImagePull", or "ErrImageNeverPull". */
  readonly reason: string;
  readonly error: string;
  /** Number of failed pulls so far. */
  readonly count: number;
  /** Time of the failure, ms since the epoch: later than that of the pull where a registry was silent. */
  readonly at: number;
}

const waiting =
  (reason: string, message?: string) =>
  ({ name, image = "" }: Container): ContainerStatus => ({
    name,
    image,
    imageID: "",
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason, ...(message === undefined ? {} : { message }) } },
  });

const reasonOf = ({ status }: Pod): unknown => at(status?.containerStatuses?.[0]?.state, "waiting", "reason");

/** Shows why a pod waits, as `kubectl describe pod` does. @returns whether that is new */
function show({ objects }: Cluster, pod: Pod, reason: string, message?: string): boolean {
  if (reasonOf(pod) === reason) return false;
  const containerStatuses = pod.spec.containers.map(waiting(reason, message));
  objects.replace(pods, { ...pod, status: { ...pod.status, phase: "Pending", containerStatuses } });
  return true;
}

const instanceOf = (node: Node): string =>
  String(node.spec.providerID ?? "")
    .split("/")
    .at(-1) ?? "";

const recording =
  ({ record }: Cluster, about: Pod) =>
  (reason: string, message: string): void => {
    const type = reason.startsWith("Pull") || reason === "BackOff" ? "Normal" : "Warning";
    record({ component: "kubelet", about, type, reason, message });
  };

/** Tries to have the image of a container on its node (pkg/kubelet/images/image_manager.go, EnsureImageExists). */
function ensureImage(
  cluster: Cluster,
  pod: Pod,
  images: Images,
  { image = "", imagePullPolicy }: Container,
): Omit<FailedPull, "count"> | undefined {
  const tell = recording(cluster, pod);
  const now = cluster.simulation.clock.now();
  const isPresent = images.isPresent(image);
  if (imagePullPolicy !== "Always" && isPresent) {
    tell("Pulled", `Container image "${image}" already present on machine`);
    return undefined;
  }
  if (imagePullPolicy === "Never") {
    const error = `Container image "${image}" is not present with pull policy of Never`;
    return { image, reason: "ErrImageNeverPull", error, at: now };
  }
  tell("Pulling", `Pulling image "${image}"`);
  const end = images.pull(image);
  if (!end.pulled) return { image, reason: "ErrImagePull", error: end.error, at: now + end.heldMs };
  tell("Pulled", `Successfully pulled image "${image}" in ${PULLED_IN}`);
  return undefined;
}

/** Shows the error of a failed pull. */
function showError(cluster: Cluster, pod: Pod, { image, reason, error }: FailedPull): void {
  if (!show(cluster, pod, reason, error)) return;
  const tell = recording(cluster, pod);
  if (reason === "ErrImagePull") tell("Failed", `Failed to pull image "${image}": ${error}`);
  else tell(reason, error);
  tell("Failed", `Error: ${reason}`);
}

/** Shows that the kubelet waits before the next pull. */
function showBackOff(cluster: Cluster, pod: Pod, { image, reason, error }: FailedPull): void {
  const backOff = `Back-off pulling image "${image}"`;
  if (reason !== "ErrImagePull" || !show(cluster, pod, "ImagePullBackOff", `${backOff}: ${reason}: ${error}`)) return;
  const tell = recording(cluster, pod);
  tell("BackOff", backOff);
  tell("Failed", "Error: ImagePullBackOff");
}

/**
 * Shows a failed pull: first its error, then that the kubelet waits before the next one.
 * @returns the time of the next look, in milliseconds of sandbox time; undefined when it is time to pull again
 */
function showFailure(cluster: Cluster, pod: Pod, failure: FailedPull): number | undefined {
  const now = cluster.simulation.clock.now();
  const { at: failed, count } = failure;
  const again = failed + Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (count - 1));
  if (now >= again) return undefined;
  if (now >= failed + SYNC) {
    showBackOff(cluster, pod, failure);
    return again;
  }
  if (now >= failed) {
    showError(cluster, pod, failure);
    return failed + SYNC;
  }
  if (reasonOf(pod) === undefined) show(cluster, pod, "ContainerCreating");
  return failed;
}

/** Forgets the failures of pods that are gone. */
function forgetGone({ objects }: Cluster, failed: Collection<FailedPull>): void {
  const there = new Set(objects.list<Pod>(pods).map(({ metadata }) => metadata.uid));
  for (const uid of failed.keys()) if (!there.has(uid)) failed.delete(uid);
}

/**
 * Keeps a Windows pod waiting while its node lacks one of its images.
 * @returns the time of the kubelet's next attempt, in milliseconds of sandbox time; undefined when all images are there
 */
export function waitForImages(cluster: Cluster, pod: Pod, node: Node): number | undefined {
  const images = cluster.images(instanceOf(node));
  if (!images || osOf(node) !== "windows" || pod.status?.phase === "Running") return undefined;
  const failures = cluster.simulation.store.collection<FailedPull>("failed-image-pulls");
  const last = failures.get(pod.metadata.uid);
  const next = last && showFailure(cluster, pod, last);
  if (next !== undefined) return next;
  for (const container of pod.spec.containers) {
    const failure = ensureImage(cluster, pod, images, container);
    if (!failure) continue;
    const counted = { ...failure, count: (last?.count ?? 0) + 1 };
    forgetGone(cluster, failures);
    failures.set(pod.metadata.uid, counted);
    return showFailure(cluster, pod, counted);
  }
  failures.delete(pod.metadata.uid);
  return undefined;
}
