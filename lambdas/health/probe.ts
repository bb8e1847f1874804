import { ACCOUNT_NAMESPACE } from "../cluster/accounts.ts";

/** Label of the pods that try a node's data plane; a drain neither evicts them nor waits for them. */
export const PROBE_LABEL = "casement.dev/probe";

/** Seconds after which the cluster ends a probe by itself, whatever became of Casement. */
const DEADLINE_SECONDS = 300;

/** The service of every cluster that pods reach the API server by. A Windows pod resolves whole names only (Kubernetes' DNS page). */
const API = "kubernetes.default.svc.cluster.local";

/** Port on which the Windows pod waits to be reached. */
const PORT = 8080;

/** Exit codes of a probe's container, and what each means. */
export const exits = { works: 0, dns: 11, api: 12, metadata: 13, unreached: 14, cannotReach: 15 } as const;

/** A fault of a data plane: no network for a pod, no name, no service address, a pod that reaches the metadata service, or one that none reaches. */
export type DataPlaneFault = "start" | "dns" | "api" | "metadata" | "unreached";

/** Outcome of a probe. Without a probe nothing is said about the data plane: it is not probed, never dead. */
export type ProbeResult =
  | { readonly state: "works" }
  | {
      readonly state: "fails";
      readonly fault: DataPlaneFault;
      readonly from: string | null;
      /** Words of the cluster about it, where it has some. */
      readonly words?: string;
    }
  | { readonly state: "not-probed"; readonly why: string };

/** Images of the probe's containers, by Windows release, and one for Linux; a release without an image is not probed. */
export interface ProbeImages {
  readonly "2019"?: string | undefined;
  readonly "2022"?: string | undefined;
  readonly "2025"?: string | undefined;
  readonly linux?: string | undefined;
}

/** A pod as the API server takes it, as far as a probe needs it. */
export interface ProbePod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * The Windows half, for Windows PowerShell 5.1 and curl.exe of the image servercore: it resolves the API's name, calls it,
 * must not reach the metadata service, and then waits until another node's pod has connected.
 */
const windowsScript = [
  "<# casement-probe #> $ErrorActionPreference = 'Stop'",
  `try { [Net.Dns]::GetHostAddresses('${API}') | Out-Null } catch { exit ${exits.dns} }`,
  `curl.exe -k -s -m 10 -o NUL https://${API}/version; if ($LASTEXITCODE -ne 0) { exit ${exits.api} }`,
  `curl.exe -s -m 3 -o NUL http://169.254.169.254/; if ($LASTEXITCODE -eq 0) { exit ${exits.metadata} }`,
  `$listener = New-Object Net.Sockets.TcpListener ([Net.IPAddress]::Any, ${PORT}); $listener.Start()`,
  `if ($listener.AcceptTcpClientAsync().Wait(150000)) { exit ${exits.works} }; exit ${exits.unreached}`,
].join("; ");

/**
 * The Linux half, for sh and nc: it tries for 90 s to connect, whether packets are dropped or refused. The first start of PowerShell
 * takes up to half a minute; until then nothing listens.
 */
const linuxScript = (address: string): string =>
  [
    `# casement-probe ${address}`,
    "end=$(($(date +%s) + 90))",
    `while [ $(date +%s) -lt $end ]; do nc -z -w 2 ${address} ${PORT} && exit ${exits.works}; sleep 1; done`,
    `exit ${exits.cannotReach}`,
  ].join("\n");

interface Wanted {
  readonly name: string;
  readonly node: string;
  readonly image: string;
  readonly os: "windows" | "linux";
  readonly command: readonly string[];
  readonly user: number | null;
}

/** Restrictions that OpenShift's and Kubernetes' strictest rules for pods ask for on Linux; none of it exists on Windows. */
const restricted = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

// Bound by nodeName: the scheduler would keep it off a cordoned node. Its tolerations keep it there.
const probePod = ({ name, node, image, os, command, user }: Wanted): ProbePod => ({
  metadata: { name, namespace: ACCOUNT_NAMESPACE, labels: { [PROBE_LABEL]: os } },
  spec: {
    os: { name: os },
    nodeName: node,
    nodeSelector: { "kubernetes.io/os": os },
    tolerations: [{ operator: "Exists" }],
    restartPolicy: "Never",
    activeDeadlineSeconds: DEADLINE_SECONDS,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    containers: [
      {
        name: "probe",
        image,
        command,
        ...(os === "linux"
          ? { securityContext: { ...restricted, ...(user === null ? {} : { runAsUser: user }) } }
          : {}),
      },
    ],
  },
});

/**
 * The pod that tries a Windows node from inside.
 * @param id unique among probes: letters, digits and hyphens, at most 40
 */
export const windowsProbe = (id: string, node: string, image: string): ProbePod =>
  probePod({
    name: `probe-${id}-windows`,
    node,
    image,
    os: "windows",
    user: null,
    command: ["powershell.exe", "-NoLogo", "-NonInteractive", "-Command", windowsScript],
  });

/** User id of nobody, for images whose own user is root: `restricted` lets no container run as root. */
export const NOBODY = 65_534;

/**
 * The pod that reaches a Windows node's probe from another node.
 * @param address of the Windows pod
 * @param user id that its container runs as; null where the cluster gives it one
 */
export const linuxProbe = (id: string, node: string, image: string, address: string, user: number | null): ProbePod =>
  probePod({ name: `probe-${id}-linux`, node, image, os: "linux", user, command: ["sh", "-c", linuxScript(address)] });

/** A probe's pod as the cluster shows it. */
export interface ProbeState {
  /** Exit code of the container; null while it has not ended, and where there was none. */
  readonly exitCode: number | null;
  readonly address: string | null;
  /** Reason why the container waits, with the kubelet's words: "CreateContainerConfigError: …"; empty otherwise. */
  readonly waiting: string;
  /** Reason for which the kubelet rejected the pod, or ended it: "OutOfpods: …"; empty otherwise. */
  readonly ended: string;
}

/** An Event about a probe's pod. */
export interface ProbeEvent {
  readonly reason: string;
  readonly message: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Everything that a probe is judged by. */
export interface ProbeLook {
  readonly windows: ProbeState;
  /** Null while there is no such pod. */
  readonly linux: ProbeState | null;
  /** The node of the Linux pod. */
  readonly from: string;
  /** The time of the probe is over. */
  readonly isLate: boolean;
  /** Events about the Windows pod, read where it has not started in time; null where they could not be read. */
  readonly events: readonly ProbeEvent[] | null;
}

const byCode: Readonly<Record<number, DataPlaneFault>> = {
  [exits.dns]: "dns",
  [exits.api]: "api",
  [exits.metadata]: "metadata",
};

/** Reasons for which a container has no image, and for which it does not start (k8s pkg/kubelet/images, pkg/kubelet/kuberuntime). */
const unpulled = /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull)\b/;
const unstarted = /^(CreateContainerConfigError|CreateContainerError|RunContainerError)\b/;

const notProbed = (why: string): ProbeResult => ({ state: "not-probed", why });

/** Judges a pod that a kubelet does not run as it was asked to: that says nothing about the network of pods. */
function notRun({ ended, waiting }: ProbeState, where: string): ProbeResult | null {
  if (ended) return notProbed(`the kubelet of ${where} did not run it (${ended})`);
  if (unpulled.test(waiting)) return notProbed(`the image of the pod on ${where} cannot be pulled (${waiting})`);
  return unstarted.test(waiting) ? notProbed(`the pod on ${where} cannot start (${waiting})`) : null;
}

/** Judges what the Windows pod found by itself, before it waits to be reached. */
function judgeWindows({ exitCode }: ProbeState): ProbeResult | null {
  if (exitCode === null || exitCode === exits.unreached) return null;
  if (exitCode === exits.works) return { state: "works" };
  const fault = byCode[exitCode];
  return fault === undefined
    ? notProbed(`the pod on the node ended with exit code ${exitCode}`)
    : { state: "fails", fault, from: null };
}

/** Reason why nothing is known of the way to a pod that waited in vain: the other pod did not try for as long. */
function untried(linux: ProbeState | null, from: string): string {
  if (linux === null) return `no pod on \`${from}\` tried to reach it`;
  const isStarting = linux.exitCode === null && linux.address === null;
  return isStarting
    ? `the pod on \`${from}\` had not started (${linux.waiting || "Pending"}) while the other waited for it`
    : `the pod on \`${from}\` began too late to reach the other while that waited for it`;
}

/** Judges the way to the Windows pod: it counts as unreached where the other pod has tried in vain while it listened. */
function judgeReach({ windows, linux, from }: ProbeLook): ProbeResult | null {
  const code = linux?.exitCode ?? null;
  if (code !== null && code !== exits.works && code !== exits.cannotReach)
    return notProbed(`the pod on \`${from}\` ended with exit code ${code}`);
  if (windows.exitCode === exits.unreached) return notProbed(untried(linux, from));
  return code === exits.cannotReach ? { state: "fails", fault: "unreached", from } : null;
}

const SANDBOX_FAILS = "FailedCreatePodSandBox";

/** Events that come only once the pod has its sandbox, and with it its network (k8s pkg/kubelet/events/event.go). */
const afterSandbox = ["Pulling", "Pulled", "Created", "Started"];

/** Words of a container runtime that lacks the image of the sandbox itself (containerd, internal/cri/server/podsandbox). */
const lacksPause = /sandbox image|failed to pull|pull access denied/i;

/**
 * Judges a Windows pod that has not started in time. A kubelet makes the pod's sandbox with its network first and pulls the image
 * then, and says by Events alone which of the two it waits for: up to Kubernetes 1.34 the condition PodReadyToStartContainers
 * stays False until the container has started (kubernetes/kubernetes pull request 134660).
 */
function judgeStart(events: readonly ProbeEvent[] | null): ProbeResult {
  if (events === null) return notProbed("it did not start in time, and the account act may not read its Events");
  const told = events.filter(({ reason }) => reason === SANDBOX_FAILS || afterSandbox.includes(reason));
  const [last] = told.toSorted(
    (one, other) => Date.parse(other.at) - Date.parse(one.at) || Number(one.reason === SANDBOX_FAILS) - 1,
  );
  if (last === undefined) return notProbed("its kubelet did not start it in time");
  if (last.reason === "Pulling") return notProbed("its image was still being pulled when its time was over");
  if (last.reason !== SANDBOX_FAILS) return notProbed("its container had not started when its time was over");
  if (lacksPause.test(last.message)) return notProbed(`the container runtime lacks an image (${last.message})`);
  return { state: "fails", fault: "start", from: null, words: last.message };
}

/** Judges a probe whose time is over. */
const judgeLate = ({ windows, events }: ProbeLook): ProbeResult =>
  windows.address === null ? judgeStart(events) : notProbed("the probe did not end in time");

/**
 * Judges a probe. A node fails it only by evidence of its data plane: what its pod found, what a pod elsewhere found while that
 * listened, or a sandbox that cannot be made. Everything else, such as an image or a kubelet that takes no pod, says nothing about it.
 * @returns null while it is not decided
 */
export function judgeProbe(look: ProbeLook): ProbeResult | null {
  const { windows, linux, from, isLate } = look;
  return (
    judgeWindows(windows) ??
    notRun(windows, "the node") ??
    (linux && notRun(linux, `\`${from}\``)) ??
    judgeReach(look) ??
    (isLate ? judgeLate(look) : null)
  );
}
