import { exits } from "./probe-pods.ts";

/**
 * A fault of a data plane: a pod gets no network, resolves no name, reaches no service, reaches the metadata service,
 * cannot be reached, is reached by other nodes but not by its own host, or does not leave the cluster while pods of
 * other nodes do.
 */
export type DataPlaneFault = "start" | "dns" | "api" | "metadata" | "unreached" | "host" | "outside";

/** Result of a probe. A data plane without a finished probe is "not-probed", never "fails". */
export type ProbeResult =
  | { readonly state: "works" }
  | {
      readonly state: "fails";
      readonly fault: DataPlaneFault;
      readonly from: string | null;
      /** The cluster's message about the fault, or the address outside of the cluster, if there is one. */
      readonly words?: string;
    }
  | { readonly state: "not-probed"; readonly why: string };

/**
 * Images of the probe's containers, by Windows release, and one for Linux; a release without an image is not probed.
 */
export interface ProbeImages {
  readonly "2019"?: string | undefined;
  readonly "2022"?: string | undefined;
  readonly "2025"?: string | undefined;
  readonly linux?: string | undefined;
}

/** State of a probe's pod in the cluster. */
export interface ProbeState {
  /** Exit code of the container; null until it ends, and if it never started. */
  readonly exitCode: number | null;
  readonly address: string | null;
  /** Reason why the container waits, with the kubelet's message: "CreateContainerConfigError: …"; otherwise empty. */
  readonly waiting: string;
  /** Reason why the kubelet rejected or ended the pod: "OutOfpods: …"; otherwise empty. */
  readonly ended: string;
}

/** An Event about a probe's pod. */
export interface ProbeEvent {
  readonly reason: string;
  readonly message: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Facts of one poll that decide a probe's result. */
export interface ProbeObservation {
  readonly windows: ProbeState;
  /** Null until the pod exists. */
  readonly linux: ProbeState | null;
  /** The node of the Linux pod. */
  readonly from: string;
  /** Address outside of the cluster that both pods try, if they try one. */
  readonly outside: string | undefined;
  /** Is the probe's time over? */
  readonly isLate: boolean;
  /** Events about the Windows pod if it has not started in time; null if they could not be read. */
  readonly events: readonly ProbeEvent[] | null;
}

const byCode: Readonly<Record<number, DataPlaneFault>> = {
  [exits.dns]: "dns",
  [exits.api]: "api",
  [exits.metadata]: "metadata",
  [exits.host]: "host",
};

/** Match reasons why a container has no image, or does not start (k8s pkg/kubelet/images, pkg/kubelet/kuberuntime). */
const unpulled = /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull)\b/;
const unstarted = /^(CreateContainerConfigError|CreateContainerError|RunContainerError)\b/;

const notProbed = (why: string): ProbeResult => ({ state: "not-probed", why });

/** Judges a pod that a kubelet does not run: then nothing is known about the network of pods. */
function notRun({ ended, waiting }: ProbeState, where: string): ProbeResult | null {
  if (ended) return notProbed(`the kubelet of ${where} did not run it (${ended})`);
  if (unpulled.test(waiting)) return notProbed(`the image of the pod on ${where} cannot be pulled (${waiting})`);
  return unstarted.test(waiting) ? notProbed(`the pod on ${where} cannot start (${waiting})`) : null;
}

/** Start of a pod that is to wait for a connection; null while that is not known. */
export type ProbeStart = { readonly isStarted: true } | { readonly isStarted: false; readonly why: string } | null;

/**
 * Judges the start of a pod that is to wait for a connection.
 * @param windows null if the pod was deleted
 */
export function judgeStart(windows: ProbeState | null, isLate: boolean): ProbeStart {
  if (windows === null) return { isStarted: false, why: "it was deleted by others" };
  const failed = notRun(windows, "the node");
  if (failed?.state === "not-probed") return { isStarted: false, why: failed.why };
  if (windows.address !== null) return { isStarted: true };
  return isLate ? { isStarted: false, why: "it did not start in time" } : null;
}

/** Judges the Windows pod's own findings, before it waits for a connection. */
function judgeWindows({ exitCode }: ProbeState): ProbeResult | null {
  if (exitCode === null || exitCode === exits.unreached || exitCode === exits.outside) return null;
  if (exitCode === exits.works) return { state: "works" };
  const fault = byCode[exitCode];
  return fault === undefined
    ? notProbed(`the pod on the node ended with exit code ${exitCode}`)
    : { state: "fails", fault, from: null };
}

/** Reason why nothing is known about the way to a pod without a connection: the other pod did not try in that time. */
function untried(linux: ProbeState | null, from: string): string {
  if (linux === null) return `no pod on \`${from}\` tried to reach it`;
  const isStarting = linux.exitCode === null && linux.address === null;
  return isStarting
    ? `the pod on \`${from}\` had not started (${linux.waiting || "Pending"}) while the other waited for it`
    : `the pod on \`${from}\` began too late to reach the other while that waited for it`;
}

/** Judges the way out of the cluster: what neither pod reaches is no fault of the node. */
function judgeOutside({ windows, linux, from, outside }: ProbeObservation): ProbeResult | null {
  if (windows.exitCode !== exits.outside || outside === undefined) return null;
  if (linux?.exitCode === exits.works) return { state: "fails", fault: "outside", from: null, words: outside };
  return linux?.exitCode === exits.outside
    ? notProbed(`\`${outside}\` is reached neither from the node nor from \`${from}\``)
    : null;
}

/** Exit codes of a Linux pod that has connected to the Windows pod, or has not. */
const tried: readonly number[] = [exits.works, exits.outside, exits.cannotReach];

/** Judges the way to the Windows pod: it is unreached only if the other pod tried and failed while it listened. */
function judgeReach({ windows, linux, from }: ProbeObservation): ProbeResult | null {
  const code = linux?.exitCode ?? null;
  if (code !== null && !tried.includes(code)) return notProbed(`the pod on \`${from}\` ended with exit code ${code}`);
  if (windows.exitCode === exits.unreached) return notProbed(untried(linux, from));
  return code === exits.cannotReach ? { state: "fails", fault: "unreached", from } : null;
}

const SANDBOX_FAILS = "FailedCreatePodSandBox";

/** Events that only follow once the pod has its sandbox and network (k8s pkg/kubelet/events/event.go). */
const afterSandbox = ["Pulling", "Pulled", "Created", "Started"];

/** Number of characters of an Event's message that a result keeps. */
const MOST_WORDS = 240;

/**
 * Matches errors of a container runtime without the sandbox's own image (containerd, internal/cri/server/podsandbox).
 */
const lacksPause = /sandbox image|failed to pull|pull access denied/i;

/**
 * Judges a Windows pod that has not started in time. A kubelet first makes the pod's sandbox with its network, then
 * pulls the image. Only Events show for which of them it waits: up to Kubernetes 1.34 the condition
 * PodReadyToStartContainers stays False until the container has started (kubernetes/kubernetes pull request 134660).
 */
function judgeUnstarted(events: readonly ProbeEvent[] | null): ProbeResult {
  if (events === null) return notProbed("it did not start in time, and the account act may not read its Events");
  const relevant = events.filter(({ reason }) => reason === SANDBOX_FAILS || afterSandbox.includes(reason));
  const [last] = relevant.toSorted(
    (one, other) => Date.parse(other.at) - Date.parse(one.at) || Number(one.reason === SANDBOX_FAILS) - 1,
  );
  if (last === undefined) return notProbed("its kubelet did not start it in time");
  if (last.reason === "Pulling") return notProbed("its image was still being pulled when its time was over");
  if (last.reason !== SANDBOX_FAILS) return notProbed("its container had not started when its time was over");
  const words = last.message.slice(0, MOST_WORDS);
  if (lacksPause.test(last.message)) return notProbed(`the container runtime lacks an image (${words})`);
  return { state: "fails", fault: "start", from: null, words };
}

/** Judges a probe at the end of its time. */
const judgeLate = ({ windows, events }: ProbeObservation): ProbeResult =>
  windows.address === null ? judgeUnstarted(events) : notProbed("the probe did not end in time");

/**
 * Judges a probe. A node only fails by evidence about its data plane: the finding of its pod, the finding of another
 * node's pod while that one listened, or a sandbox that cannot be made. An image that cannot be pulled, for example, is
 * no evidence.
 * @returns null until the result is known
 */
export function judgeProbe(observation: ProbeObservation): ProbeResult | null {
  const { windows, linux, from, isLate } = observation;
  return (
    judgeWindows(windows) ??
    notRun(windows, "the node") ??
    (linux && notRun(linux, `\`${from}\``)) ??
    judgeOutside(observation) ??
    judgeReach(observation) ??
    (isLate ? judgeLate(observation) : null)
  );
}
