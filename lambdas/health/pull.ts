import type { ProbeEvent, ProbeState } from "./probe.ts";

/** Most registries that are proven: each takes a pod, one after the other. */
export const MOST_PULLS = 5;

/** Result of a pull on a node; "unknown" is no judgement of the registry. */
export type PullResult =
  | { readonly state: "pulled" }
  | { readonly state: "failed" | "unauthorized" | "unknown"; readonly why: string };

/** Facts of one poll of a pod that pulls an image. */
export interface PullObservation {
  /** Null if the pod does not exist. */
  readonly pod: ProbeState | null;
  /** Null if they could not be read. */
  readonly events: readonly ProbeEvent[] | null;
  /** Is the time over? */
  readonly isLate: boolean;
  /** Does the node sign in to every registry that it asks? By default it does not. */
  readonly signsIn?: boolean;
}

/**
 * Matches errors of registries that want a credential (containerd, core/remotes/docker/resolver.go and authorizer.go).
 * A 403 to the request itself is a refusal: a firewall's, or that of a mirror that serves nobody.
 */
const wantsCredential =
  /pull access denied|authorization failed|no basic auth credentials|failed to (?:authorize|fetch anonymous token)|\b401\b/i;

/** Event of a pull that a registry answered (k8s pkg/kubelet/images/image_manager.go). */
const isPulled = ({ reason, message }: ProbeEvent): boolean =>
  reason === "Pulled" && message.startsWith("Successfully pulled");

/** Begin of the Event with the registry's error; the kubelet writes a second one, "Error: ErrImagePull". */
const pullFailed = /^Failed to pull image "[^"]*": /;

/** Words around a registry's error that only repeat the image (CRI's PullImage and its client). */
const aroundError =
  /^(?:rpc error: code = \w+ desc = )?(?:failed to pull and unpack image "[^"]*": )?(?:failed to resolve (?:reference "[^"]*"|image): )?/;

/** The registry's last error; empty if there is none. */
function lastError(events: readonly ProbeEvent[]): string {
  const failed = events.filter(({ reason, message }) => reason === "Failed" && pullFailed.test(message));
  const last = failed.toSorted((one, other) => one.at.localeCompare(other.at)).at(-1);
  return last?.message.replace(pullFailed, "").replace(aroundError, "").replace(/\.$/, "") ?? "";
}

/** Judges a pull whose time is over. A registry that hangs gives no error, and no other host is asked then. */
function judgeLate(events: readonly ProbeEvent[] | null, failure: string): PullResult {
  if (failure) return { state: "failed", why: failure };
  if (!events) return { state: "unknown", why: "its Events cannot be read" };
  if (!events.some(({ reason }) => reason === "Pulling"))
    return { state: "unknown", why: "the kubelet did not begin the pull in time" };
  const why = "the pull did not end in time: the mirror hangs, or `deadlines.mirrors.proof` is too short for the image";
  return { state: "failed", why };
}

/**
 * Judges the pull of a pod's image by its Events. A registry that wants a credential proves nothing, because the pod has
 * none, unless the node gave it one.
 * @returns null until the result is known
 */
export function judgePull({ pod, events, isLate, signsIn = false }: PullObservation): PullResult | null {
  if (events?.some(isPulled)) return { state: "pulled" };
  if (pod === null) return { state: "unknown", why: "its pod was deleted by others" };
  const failure = lastError(events ?? []);
  if (signsIn && wantsCredential.test(failure)) return { state: "unauthorized", why: failure };
  if (wantsCredential.test(failure)) return { state: "unknown", why: `the registry wants a credential (${failure})` };
  if (pod.ended) return { state: "unknown", why: `the kubelet did not run its pod (${pod.ended})` };
  return isLate ? judgeLate(events, failure) : null;
}

/** An image, and the pod or setting that names it. */
export interface ProofImage {
  readonly image: string;
  /** Registry that the pull proves. */
  readonly registry: string;
}

/** The registry of an image's name as a container runtime reads it (distribution/reference, splitDockerDomain). */
export function registryOf(image: string): string {
  const [first = ""] = image.split("/");
  const hasHost = image.includes("/") && (/[.:]/.test(first) || first === "localhost");
  const host = hasHost ? first.toLowerCase() : "docker.io";
  return host === "index.docker.io" ? "docker.io" : host;
}

/**
 * Chooses an image of each registry for a proof.
 * @param registries hosts whose pulls change
 * @param candidates images by preference
 * @returns the images, and the registries without one
 */
export function proofImages(
  registries: readonly string[],
  candidates: readonly string[],
): { readonly images: readonly ProofImage[]; readonly without: readonly string[] } {
  const found = registries.map((registry) => ({
    registry,
    image: candidates.find((image) => registryOf(image) === registry),
  }));
  return {
    images: found.flatMap(({ registry, image }) => (image === undefined ? [] : [{ registry, image }])),
    without: found.flatMap(({ registry, image }) => (image === undefined ? [registry] : [])),
  };
}
