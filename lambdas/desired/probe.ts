import { ACCOUNT_NAMESPACE } from "./accounts.ts";

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

/** A fault of a data plane: no name, no service address, a pod that reaches the metadata service, or a pod that none reaches. */
export type DataPlaneFault = "start" | "dns" | "api" | "metadata" | "unreached";

/** Outcome of a probe. Without a probe nothing is said about the data plane: it is not probed, never dead. */
export type ProbeResult =
  | { readonly state: "works" }
  | { readonly state: "fails"; readonly fault: DataPlaneFault; readonly from: string | null }
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

/** The Linux half, for sh and nc: it tries for a minute to connect. */
const linuxScript = (address: string): string =>
  `# casement-probe ${address}\nfor i in $(seq 1 20); do nc -z -w 2 ${address} ${PORT} && exit ${exits.works}; sleep 1; done; exit ${exits.cannotReach}`;

interface Wanted {
  readonly name: string;
  readonly node: string;
  readonly image: string;
  readonly os: "windows" | "linux";
  readonly command: readonly string[];
}

/** Restrictions that OpenShift's and Kubernetes' strictest rules for pods ask for on Linux; none of it exists on Windows. */
const restricted = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

// Bound by nodeName: the scheduler would keep it off a cordoned node. Its tolerations keep it there.
const probePod = ({ name, node, image, os, command }: Wanted): ProbePod => ({
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
        ...(os === "linux" ? { securityContext: restricted } : {}),
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
    command: ["powershell.exe", "-NoLogo", "-NonInteractive", "-Command", windowsScript],
  });

/** The pod that reaches a Windows node's probe from another node. @param address of the Windows pod */
export const linuxProbe = (id: string, node: string, image: string, address: string): ProbePod =>
  probePod({ name: `probe-${id}-linux`, node, image, os: "linux", command: ["sh", "-c", linuxScript(address)] });

/** A probe's pod as the cluster shows it. */
export interface ProbeState {
  /** Exit code of the container; null while it has not ended. */
  readonly exitCode: number | null;
  readonly address: string | null;
  /** Reason why the container waits, such as ImagePullBackOff; empty otherwise. */
  readonly waiting: string;
}

const byCode: Readonly<Record<number, DataPlaneFault>> = {
  [exits.dns]: "dns",
  [exits.api]: "api",
  [exits.metadata]: "metadata",
  [exits.unreached]: "unreached",
};

const unpulled = /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull)$/;

const notProbed = (why: string): ProbeResult => ({ state: "not-probed", why });

/** Judges the Windows pod's own end. */
function judgeExit(exitCode: number, from: string | null): ProbeResult {
  if (exitCode === exits.works) return { state: "works" };
  const fault = byCode[exitCode];
  if (fault === undefined) return notProbed(`the probe ended with exit code ${exitCode}`);
  return { state: "fails", fault, from: fault === "unreached" ? from : null };
}

/**
 * Judges a probe by both pods: the Windows pod's own end counts first.
 * @param linux null while there is no such pod
 * @param from the node of the Linux pod
 * @param isLate the time of the probe is over
 * @returns null while it is not decided
 */
export function judgeProbe(
  windows: ProbeState,
  linux: ProbeState | null,
  from: string | null,
  isLate: boolean,
): ProbeResult | null {
  if (windows.exitCode !== null) return judgeExit(windows.exitCode, from);
  const waiting = [windows.waiting, linux?.waiting ?? ""].find((reason) => unpulled.test(reason));
  if (waiting) return notProbed(`the probe's image cannot be pulled (${waiting})`);
  if (linux?.exitCode === exits.cannotReach) return { state: "fails", fault: "unreached", from };
  if (!isLate) return null;
  return windows.address === null
    ? { state: "fails", fault: "start", from: null }
    : notProbed("the probe did not end in time");
}
