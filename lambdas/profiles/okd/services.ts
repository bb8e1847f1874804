import { Refused } from "../../errors.ts";
import { kubernetesFolder as k, logFolder } from "../../machine/machine-paths.ts";
import type { Action } from "../../machine/plan.ts";
import { atLeast } from "../../machine/versions.ts";
import { hasProgram, type MachineSpec } from "../machine-facts.ts";
import { BOOTSTRAP_KUBECONFIG, JOIN_AUTHORITY } from "./join.ts";
import { selfLabels } from "./labels.ts";
import { CSI_PROXY, ECR_PROVIDER } from "./payload.ts";
import { STANDARD_OVERLAY_PORT } from "./ports.ts";

type Service = Extract<Action, { do: "service" }>;

/** Seconds before each restart of a failed service; Windows repeats the last value without limit. */
const RESTART_AFTER = [10, 30, 60];

/** Windows Server 2019 cannot change the VXLAN port (OpenShift documentation, WMCO prerequisites). */
const FIXED_OVERLAY_BUILD = "10.0.17763";

/** Service → its folder below the log folder, if the folder is not named as the service. */
const logFolders: Readonly<Record<string, string>> = { "hybrid-overlay-node": "hybrid-overlay" };

/** Returns the path of a service's log, which is the same as WMCO's. */
export const logOf = (service: string): string => {
  const name = logFolders[service] ?? service;
  return `${logFolder}\\${name}\\${name}.log`;
};

/** Flags that rotate a full log and delete it after a week; before 1.34 they do not exist (kubernetes issue 127667). */
const rotation = (version: string): string =>
  atLeast(version, "1.34") ? " -log-file-size=100Mi -log-file-age=168h" : "";

const runner = (name: string, { configuration }: MachineSpec): string =>
  `${k}\\kube-log-runner.exe -log-file=${logOf(name)}${rotation(configuration.cluster.version)}`;

const containerd = (): string =>
  [
    `${k}\\containerd\\containerd.exe`,
    `--config ${k}\\containerd\\containerd_conf.toml`,
    `--log-file ${logOf("containerd")}`,
    "--run-service",
    "--log-level info",
  ].join(" ");

// With these flags a kubelet whose plugin is missing does not start (kubernetes-sigs/cloud-provider-azure issue 4533).
const credentialProvider = (facts: MachineSpec): string[] =>
  hasProgram(facts, ECR_PROVIDER)
    ? [
        `--image-credential-provider-bin-dir=${k}`,
        `--image-credential-provider-config=${k}\\credential-provider-config.yaml`,
      ]
    : [];

// The node's name is EC2's, fixed here: if the kubelet asked the metadata service at each start, it would depend on a
// route that a reboot can remove. The cluster's cloud provider sets the cloud identity (`--cloud-provider=external`).
const kubelet = (facts: MachineSpec): string =>
  [
    runner("kubelet", facts),
    `${k}\\kubelet.exe`,
    `--config=${k}\\kubelet.conf`,
    `--bootstrap-kubeconfig=${BOOTSTRAP_KUBECONFIG}`,
    `--kubeconfig=${k}\\kubeconfig`,
    "--cert-dir=C:\\var\\lib\\kubelet\\pki\\",
    "--windows-service",
    `--node-labels=${selfLabels(facts)}`,
    "--windows-priorityclass=ABOVE_NORMAL_PRIORITY_CLASS",
    "--v=2",
    "--cloud-provider=external",
    `--hostname-override=${facts.nodeName}`,
    `--node-ip=${facts.nodeIp}`,
    ...credentialProvider(facts),
  ].join(" ");

function overlayPort({ configuration, build }: MachineSpec): string[] {
  const port = configuration.cluster.hybridOverlayPort;
  if (port === STANDARD_OVERLAY_PORT) return [];
  if (build === FIXED_OVERLAY_BUILD)
    throw new Refused(`Windows Server 2019 cannot use the overlay port ${port}`, { code: "overlay-port" });
  return [`--hybrid-overlay-vxlan-port ${port}`];
}

const hybridOverlay = (facts: MachineSpec): string =>
  [
    `${k}\\hybrid-overlay-node.exe`,
    `--node ${facts.nodeName}`,
    `--bootstrap-kubeconfig=${k}\\kubeconfig`,
    `--cert-dir=${k}\\cni\\config`,
    "--cert-duration=24h",
    "--windows-service",
    `--logfile ${logOf("hybrid-overlay-node")}`,
    `--k8s-apiserver=${facts.configuration.cluster.apiServer}`,
    `--k8s-cacert ${JOIN_AUTHORITY}`,
    ...overlayPort(facts),
  ].join(" ");

const kubeProxy = (facts: MachineSpec): string =>
  `${runner("kube-proxy", facts)} ${k}\\kube-proxy.exe --config ${k}\\kube-proxy.conf --windows-service`;

// WMCO serves metrics with a certificate of the cluster's service CA, which only a pod's Service can get. Here the port
// serves plain HTTP, only inside the cluster's network.
const windowsExporter = (): string =>
  [
    `${k}\\windows_exporter.exe`,
    "--collectors.enabled cpu,logical_disk,net,os,service,system,container,memory,cpu_info",
    "--log.level info",
    `--log.file ${logOf("windows_exporter")}`,
  ].join(" ");

const csiProxy = (): string =>
  `${k}\\csi-proxy.exe -log_file=${logOf("csi-proxy")} -logtostderr=false -windows-service --v=2`;

/** Name of the service that a payload may lack. */
const OPTIONAL_SERVICE = "csi-proxy";

/** Services that a machine in service need not have. */
export const optionalServices: readonly string[] = [OPTIONAL_SERVICE];

/** Lists the services of a running node with their logs, in the order of dependencies: first the services pods need. */
export const runningServices = (): { readonly name: string; readonly log: string }[] =>
  ["containerd", "kubelet", "hybrid-overlay-node", "kube-proxy", "csi-proxy", "windows_exporter"].map((name) => ({
    name,
    log: logOf(name),
  }));

/** WMCO's services with its dependencies, in the order of its priorities. */
const services: readonly (readonly [
  name: string,
  dependsOn: readonly string[],
  command: (facts: MachineSpec) => string,
])[] = [
  ["containerd", [], containerd],
  ["kubelet", ["containerd"], kubelet],
  ["hybrid-overlay-node", ["kubelet"], hybridOverlay],
  ["windows_exporter", [], windowsExporter],
  ["csi-proxy", [], csiProxy],
  ["kube-proxy", ["hybrid-overlay-node"], kubeProxy],
];

/** Does a machine get this service? One without its program could not start. */
export const hasService = (facts: Pick<MachineSpec, "payload">, service: string): boolean =>
  service !== OPTIONAL_SERVICE || hasProgram(facts, CSI_PROXY);

/**
 * Defines the services of a Windows node. After a reboot, Windows starts them in the order of their dependencies.
 * @throws Refused if this Windows release does not support the cluster's configuration
 */
export const okdServices = (facts: MachineSpec): Service[] =>
  services
    .filter(([name]) => hasService(facts, name))
    .map(([name, dependsOn, command]) => ({
      do: "service",
      name,
      description: `Casement managed ${name}`,
      commandLine: command(facts),
      startType: "Automatic",
      dependsOn,
      restartAfter: RESTART_AFTER,
    }));
