import { ACCOUNT_NAMESPACE } from "../cluster/accounts.ts";

/** Label of the pods that probe a node's data plane; a drain neither evicts them nor waits for them. */
export const PROBE_LABEL = "casement.dev/probe";

/** Seconds after which the cluster ends a probe, even if Casement fails; the admission policy allows 600. */
const DEADLINE_SECONDS = { probe: 300, pull: 600 };

/**
 * Name of the API server's service in every cluster. A Windows pod only resolves fully qualified names (Kubernetes' DNS
 * page).
 */
const API = "kubernetes.default.svc.cluster.local";

/** Port on which the Windows pod listens. */
const PORT = 8080;

/** Exit codes of a probe's container, by their meaning. */
export const exits = { works: 0, dns: 11, api: 12, metadata: 13, unreached: 14, cannotReach: 15 } as const;

/** The fields of a pod that a probe needs. */
export interface ProbePod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * Script of the Windows pod, for Windows PowerShell 5.1 and curl.exe of the image servercore. It resolves the API's
 * name, calls the API, checks that it cannot reach the metadata service, and waits until a pod of another node
 * connects.
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
 * Script of the Linux pod, for sh and nc. It tries to connect for 90 s, because nothing listens during the first start
 * of PowerShell, which takes up to half a minute.
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
  /** Always asks the registry, even for an image that the node has. */
  readonly pull?: "Always";
}

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
const probePod = ({ name, node, image, os, command, user, pull }: Wanted): ProbePod => ({
  metadata: { name, namespace: ACCOUNT_NAMESPACE, labels: { [PROBE_LABEL]: os } },
  spec: {
    os: { name: os },
    nodeName: node,
    nodeSelector: { "kubernetes.io/os": os },
    tolerations: [{ operator: "Exists" }],
    restartPolicy: "Never",
    activeDeadlineSeconds: pull ? DEADLINE_SECONDS.pull : DEADLINE_SECONDS.probe,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    containers: [
      {
        name: "probe",
        image,
        command,
        ...(pull ? { imagePullPolicy: pull } : {}),
        ...(os === "linux"
          ? { securityContext: { ...restricted, ...(user === null ? {} : { runAsUser: user }) } }
          : {}),
      },
    ],
  },
});

/** Pod of a probe on a Windows node; its container runs as the image's own user. */
const onWindows = (id: string, node: string, image: string) =>
  ({ name: `probe-${id}-windows`, node, image, os: "windows", user: null }) as const;

/**
 * Makes the pod that probes a Windows node from inside.
 * @param id unique among probes: letters, digits and hyphens, at most 40
 */
export const windowsProbe = (id: string, node: string, image: string): ProbePod =>
  probePod({
    ...onWindows(id, node, image),
    command: ["powershell.exe", "-NoLogo", "-NonInteractive", "-Command", windowsScript],
  });

/**
 * Makes the pod that pulls an image on a Windows node. The pull is its proof; the image need not have this command.
 * @param id unique among probes: letters, digits and hyphens, at most 40
 */
export const pullProbe = (id: string, node: string, image: string): ProbePod =>
  probePod({ ...onWindows(id, node, image), command: ["cmd.exe", "/c", "exit 0"], pull: "Always" });

/** User id of nobody, for images whose own user is root, because `restricted` allows no root. */
export const NOBODY = 65_534;

/**
 * Makes the pod that connects to a Windows node's probe from another node.
 * @param address of the Windows pod
 * @param user id of the container's user; null if the cluster assigns one
 */
export const linuxProbe = (id: string, node: string, image: string, address: string, user: number | null): ProbePod =>
  probePod({ name: `probe-${id}-linux`, node, image, os: "linux", user, command: ["sh", "-c", linuxScript(address)] });
