import { ACCOUNT_NAMESPACE } from "../cluster/accounts.ts";

/** Label of the pods that probe a node's data plane; a drain neither evicts them nor waits for them. */
export const PROBE_LABEL = "casement.dev/probe";

/** Seconds after which the cluster ends a probe, even if Casement fails; the admission policy allows 600. */
const DEADLINE_SECONDS = { probe: 300, long: 600 };

/**
 * Name of the API server's service in every cluster. A Windows pod only resolves fully qualified names (Kubernetes' DNS
 * page).
 */
const API = "kubernetes.default.svc.cluster.local";

/** Port on which the Windows pod listens for the pod of another node. */
const PORT = 8080;

/** Port on which it listens for its kubelet; the admission policy allows no other. */
const HOST_PORT = 8081;

/** Exit codes of a probe's container, by their meaning. */
export const exits = {
  works: 0,
  dns: 11,
  api: 12,
  metadata: 13,
  unreached: 14,
  cannotReach: 15,
  host: 16,
  outside: 17,
} as const;

/** The fields of a pod that a probe needs. */
export interface ProbePod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

const listener = (name: string, port: number): string =>
  `${name} = New-Object Net.Sockets.TcpListener ([Net.IPAddress]::Any, ${port}); ${name}.Start()`;

/**
 * Commands of the Windows pods, for Windows PowerShell 5.1 and curl.exe of the image servercore. They listen for the
 * kubelet from the start: Windows completes its connections before they are accepted.
 */
const BEGIN = `$ErrorActionPreference = 'Stop'; ${listener("$near", HOST_PORT)}`;

/** Resolves the API's name, calls the API, and checks that the pod cannot reach the metadata service. */
const callServices = [
  `try { [Net.Dns]::GetHostAddresses('${API}') | Out-Null } catch { exit ${exits.dns} }`,
  `curl.exe -k -s -m 10 -o NUL https://${API}/version; if ($LASTEXITCODE -ne 0) { exit ${exits.api} }`,
  `curl.exe -s -m 3 -o NUL http://169.254.169.254/; if ($LASTEXITCODE -eq 0) { exit ${exits.metadata} }`,
];

/** Waits until a pod of another node connects. */
const listen = (milliseconds: number): readonly string[] => [
  listener("$listener", PORT),
  `if (-not $listener.AcceptTcpClientAsync().Wait(${milliseconds})) { exit ${exits.unreached} }`,
];

/** Seconds between two checks of readiness; the pod waits for several. */
const READINESS_SECONDS = 5;

/**
 * Waits for a connection of the kubelet, which checks readiness from the host; earlier ones are dropped, because the
 * network may have changed since.
 */
const awaitHost = [
  "while ($near.Pending()) { $near.AcceptTcpClient().Close() }",
  `if (-not $near.AcceptTcpClientAsync().Wait(${READINESS_SECONDS * 6_000})) { exit ${exits.host} }`,
];

/** Seconds in which a host outside of the cluster must take a connection. */
const OUTSIDE_SECONDS = 10;

/**
 * Connects to a host outside of the cluster, last of all: until then the pod of the other node has tried it too.
 * @param outside "host:port", of letters, digits, dots and hyphens; undefined tries none
 */
function leaveCluster(outside: string | undefined): readonly string[] {
  if (outside === undefined) return [];
  const [host, port] = outside.split(":");
  return [
    "$out = New-Object Net.Sockets.TcpClient",
    `try { $left = $out.ConnectAsync('${host}', ${port}).Wait(${OUTSIDE_SECONDS * 1_000}) } catch { $left = $false }`,
    `if (-not $left) { exit ${exits.outside} }`,
  ];
}

/** Last checks of a Windows pod, once the pod of another node has connected. */
const finish = (outside: string | undefined): readonly string[] => [
  ...awaitHost,
  ...leaveCluster(outside),
  `exit ${exits.works}`,
];

/** Script of the Windows pod: it calls services, then waits for a connection. */
const windowsScript = (outside: string | undefined): string =>
  [`<# casement-probe #> ${BEGIN}`, ...callServices, ...listen(150_000), ...finish(outside)].join("; ");

/**
 * Script of the Windows pod that outlives a restart of services: the connection, which comes after the restart, is the
 * signal to call services. It listens for less than the pod's deadline.
 */
const witnessScript = (outside: string | undefined): string =>
  [`<# casement-witness #> ${BEGIN}`, ...listen(520_000), ...callServices, ...finish(outside)].join("; ");

/**
 * Script of the Linux pod, for sh and nc. It tries to connect for 90 s, because nothing listens during the first start
 * of PowerShell, which takes up to half a minute. Then it connects to a host outside of the cluster, if one is named.
 * The address, which a kubelet reports, is its argument and never a part of the script.
 */
const linuxScript = [
  "end=$(($(date +%s) + 90))",
  `until nc -z -w 2 "$1" ${PORT}; do [ $(date +%s) -lt $end ] || exit ${exits.cannotReach}; sleep 1; done`,
  `[ -z "$2" ] || nc -z -w ${OUTSIDE_SECONDS} "$2" "$3" || exit ${exits.outside}`,
  `exit ${exits.works}`,
].join("\n");

/** Name of the script among the arguments of `sh -c`; the address follows it. */
export const LINUX_PROBE = "casement-probe";

interface Wanted {
  readonly name: string;
  readonly node: string;
  readonly image: string;
  readonly os: "windows" | "linux";
  readonly command: readonly string[];
  readonly user: number | null;
  /** Always asks the registry, even for an image that the node has. */
  readonly pull?: "Always";
  /** It may take as long as the admission policy allows. */
  readonly isLong?: true;
  /** Its kubelet connects to it from the host. */
  readonly isCheckedByHost?: true;
}

/** Check of readiness by which the kubelet connects; the other fields are the API server's defaults. */
const readinessProbe = {
  tcpSocket: { port: HOST_PORT },
  periodSeconds: READINESS_SECONDS,
  timeoutSeconds: 1,
  successThreshold: 1,
  failureThreshold: 3,
};

/**
 * Fields that the strictest pod security rules of OpenShift and Kubernetes demand on Linux; Windows has none of them.
 */
const restricted = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

// `nodeName` bypasses the scheduler, which would not use a cordoned node; the tolerations keep the pod there.
const probePod = ({ name, node, image, os, command, user, pull, ...has }: Wanted): ProbePod => ({
  metadata: { name, namespace: ACCOUNT_NAMESPACE, labels: { [PROBE_LABEL]: os } },
  spec: {
    os: { name: os },
    nodeName: node,
    nodeSelector: { "kubernetes.io/os": os },
    tolerations: [{ operator: "Exists" }],
    restartPolicy: "Never",
    activeDeadlineSeconds: has.isLong ? DEADLINE_SECONDS.long : DEADLINE_SECONDS.probe,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    containers: [
      {
        name: "probe",
        image,
        command,
        ...(has.isCheckedByHost ? { readinessProbe } : {}),
        ...(pull ? { imagePullPolicy: pull } : {}),
        ...(os === "linux"
          ? { securityContext: { ...restricted, ...(user === null ? {} : { runAsUser: user }) } }
          : {}),
      },
    ],
  },
});

/** Names of a probe's pods. */
export const probeNames = (id: string) => ({ windows: `probe-${id}-windows`, linux: `probe-${id}-linux` });

/** Place and program of a pod of a probe. */
interface PodOfProbe {
  /** Unique among probes: letters, digits and hyphens, at most 40. */
  readonly id: string;
  readonly node: string;
  readonly image: string;
  /** Address outside of the cluster that it tries: "host:port". */
  readonly outside?: string | undefined;
}

/** Pod of a probe on a Windows node; its container runs as the image's own user. */
const onWindows = ({ id, node, image }: PodOfProbe) =>
  ({ name: probeNames(id).windows, node, image, os: "windows", user: null }) as const;

const powershell = (script: string) => ["powershell.exe", "-NoLogo", "-NonInteractive", "-Command", script];

/**
 * Makes the pod that probes a Windows node from inside.
 * @param isLong it may take as long as the admission policy allows
 */
export const windowsProbe = (pod: PodOfProbe, isLong?: true): ProbePod =>
  probePod({
    ...onWindows(pod),
    command: powershell(windowsScript(pod.outside)),
    isCheckedByHost: true,
    ...(isLong ? { isLong } : {}),
  });

/** Makes the pod that is started before the services of its node are restarted, and tried afterwards. */
export const witnessProbe = (pod: PodOfProbe): ProbePod =>
  probePod({
    ...onWindows(pod),
    command: powershell(witnessScript(pod.outside)),
    isLong: true,
    isCheckedByHost: true,
  });

/**
 * Makes the pod that pulls an image on a Windows node. The pull is its proof; the image need not have this command.
 * @param id unique among probes: letters, digits and hyphens, at most 40
 */
export const pullProbe = (id: string, node: string, image: string): ProbePod =>
  probePod({ ...onWindows({ id, node, image }), command: ["cmd.exe", "/c", "exit 0"], pull: "Always", isLong: true });

/** User id of nobody, for images whose own user is root, because `restricted` allows no root. */
export const NOBODY = 65_534;

/**
 * Makes the pod that connects to a Windows node's probe from another node.
 * @param address of the Windows pod
 * @param user id of the container's user; null if the cluster assigns one
 */
export const linuxProbe = ({ id, outside, ...pod }: PodOfProbe, address: string, user: number | null): ProbePod =>
  probePod({
    ...{ ...pod, name: probeNames(id).linux, os: "linux", user },
    command: ["sh", "-c", linuxScript, LINUX_PROBE, address, ...(outside?.split(":") ?? [])],
  });
