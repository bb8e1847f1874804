import { directory, jsonFile, payloadFile, startService, stopService, textFile } from "../../machine/actions.ts";
import {
  casementFolder,
  guardFile,
  kubernetesFolder as k,
  logFolder,
  registriesScript,
} from "../../machine/machine-paths.ts";
import type { Action, FileAction } from "../../machine/plan.ts";
import { firewallRules } from "../../machine/ports.ts";
import { atLeast } from "../../machine/versions.ts";
import { hasProgram, type MachineSpec } from "../machine-facts.ts";
import type { Profile } from "../profile.ts";
import { containerdConfiguration } from "./containerd.ts";
import { BOOTSTRAP_KUBECONFIG, JOIN_AUTHORITY } from "./join.ts";
import { credentialProviders, kubeletConfiguration } from "./kubelet.ts";
import { ECR_PROVIDER } from "./payload.ts";
import { okdPorts } from "./ports.ts";
import { hasService, logOf, okdServices } from "./services.ts";

const GUARD_TASK = "Casement guard";
const NETWORK_TASK = "Casement network";

/** Made by hybrid-overlay-node (ovn-kubernetes); network.ps1 waits for it. */
export const HNS_NETWORK = "OVNKubernetesHybridOverlayNetwork";

/** The endpoint that network.ps1 creates: its address is kube-proxy's source address. */
export const SOURCE_ENDPOINT = "VIPEndpoint";

/** The script of registries is left out: the mirrors bring it to machines that need it. */
const payloadFiles = ({ configuration, payload }: MachineSpec, inFolder: (path: string) => boolean): Action[] =>
  payload.files
    .filter(({ path }) => inFolder(path) && path !== registriesScript)
    .map((file) => payloadFile(configuration.bucket, file));

const isOurs = (path: string): boolean => path.startsWith(`${casementFolder}\\`);

/**
 * Installs the guard of the metadata route first, before anything that could remove the route. Also configures Windows
 * to restart the SSM agent, which is not the default.
 */
const guard = (facts: MachineSpec): Action[] => [
  directory(casementFolder, "system"),
  ...payloadFiles(facts, isOurs),
  { do: "service-recovery", name: "AmazonSSMAgent", restartAfter: [30, 60, 60] },
  { do: "task", name: GUARD_TASK, script: guardFile, arguments: [], everyMinutes: 1 },
  { do: "run-task", name: GUARD_TASK, withinSeconds: 240, record: `${casementFolder}\\guard.json` },
];

/** Installs Windows features. They need a reboot, which is done before any container network exists. */
const features = (): Action[] => [{ do: "feature", name: "Containers" }];

// Below C:\ ordinary users may create files in other users' folders, but these programs run as SYSTEM.
const programFolders = (): Action[] => [
  directory(k, "system"),
  ...["containerd", "containerd\\registries", "cni", "cni\\config", "etc\\kubernetes\\manifests"].map((name) =>
    directory(`${k}\\${name}`),
  ),
];

/** Downloads the programs and verifies each by its hash. */
const payload = (facts: MachineSpec): Action[] => [
  ...programFolders(),
  ...payloadFiles(facts, (path) => !isOurs(path)),
];

// Containers do not run as SYSTEM and mount files from below C:\var, so that folder keeps Windows' default access. Only
// the kubelet's keys are closed.
const stateFolders = (): Action[] => [
  directory(logFolder),
  ...["containerd", "csi-proxy", "hybrid-overlay", "kube-proxy", "kubelet", "windows_exporter"].map((name) =>
    directory(`${logFolder}\\${name}`),
  ),
  directory("C:\\var\\lib\\kubelet\\pki", "system"),
];

/** File with the certificate authorities of the kubelet's clients; the kubelet reloads the file when it changes. */
const KUBELET_CLIENTS_FILE = `${k}\\kubelet-ca.crt`;

/** Writes the authorities of the kubelet's clients: on a new machine, and on a node that has joined. */
export const kubeletClients = (pem: string): FileAction => textFile(KUBELET_CLIENTS_FILE, pem);

const configurationFiles = (facts: MachineSpec): Action[] => [
  kubeletClients(facts.kubeletClients),
  textFile(JOIN_AUTHORITY, facts.configuration.cluster.certificateAuthority),
  jsonFile(`${k}\\kubelet.conf`, kubeletConfiguration(facts)),
  ...(hasProgram(facts, ECR_PROVIDER)
    ? [jsonFile(`${k}\\credential-provider-config.yaml`, credentialProviders())]
    : []),
  textFile(`${k}\\containerd\\containerd_conf.toml`, containerdConfiguration()),
];

// The sha256 is unknown here: the content is this instance's secret, which only the instance's own role reads.
const joinMaterial = ({ joinSecretId }: MachineSpec): Action => ({
  do: "file",
  path: BOOTSTRAP_KUBECONFIG,
  source: { from: "secret", secretId: joinSecretId, field: "kubeconfig" },
  sha256: null,
  access: "system",
});

/** kube-proxy needs both gates for the overlay until 1.34, where they became part of it (KEP-5100). */
const proxyGates = (version: string): string[] =>
  atLeast(version, "1.34") ? [] : ["-FeatureGates", "WinDSR,WinOverlay"];

/**
 * The task that configures CNI and kube-proxy for the container network. It repeats: if a machine boots while the API
 * server is down, the container network appears after the first run has timed out.
 */
const networkTask = ({ configuration, nodeName }: MachineSpec): Action => ({
  do: "task",
  name: NETWORK_TASK,
  script: `${casementFolder}\\network.ps1`,
  arguments: [
    ...["-NodeName", nodeName],
    ...["-ServiceNetwork", configuration.cluster.serviceNetwork],
    ...["-HnsNetwork", HNS_NETWORK],
    ...["-CniConfig", `${k}\\cni\\config\\cni.conf`],
    ...["-KubeProxyConfig", `${k}\\kube-proxy.conf`],
    ...["-KubeConfig", `${k}\\kubeconfig`],
    ...proxyGates(configuration.cluster.version),
  ],
  everyMinutes: 10,
});

/**
 * Configures everything that a node needs, except the join material and the start of the kubelet.
 * @throws Refused if this Windows release does not support the cluster's configuration
 */
const configure = (facts: MachineSpec): Action[] => {
  const { cluster } = facts.configuration;
  return [
    ...stateFolders(),
    ...firewallRules(okdPorts(cluster), cluster.machineNetwork),
    { do: "defender-exclusion", process: `${k}\\containerd\\containerd.exe` },
    ...configurationFiles(facts),
    ...okdServices(facts),
    networkTask(facts),
  ];
};

/** Delivers the join material, and starts the services that need only a certificate from the cluster. */
const start = (facts: MachineSpec): Action[] => [
  joinMaterial(facts),
  ...["containerd", "kubelet", "windows_exporter", "csi-proxy"]
    .filter((name) => hasService(facts, name))
    .map((name) => startService(name, logOf(name))),
];

/**
 * Delivers new join material to a machine whose first token has expired. A kubelet reads its bootstrap kubeconfig only
 * when it starts (k8s cmd/kubelet/app, buildKubeletClientConfig), so it is restarted.
 */
const rejoin = (facts: MachineSpec): Action[] => [
  stopService("kubelet"),
  joinMaterial(facts),
  startService("kubelet", logOf("kubelet")),
];

/** Starts the network once the kubelet has its kubeconfig and the Node its subnet. */
const network = (): Action[] => [
  startService("hybrid-overlay-node", logOf("hybrid-overlay-node")),
  { do: "run-task", name: NETWORK_TASK, withinSeconds: 600, record: `${casementFolder}\\network.json` },
  startService("kube-proxy", logOf("kube-proxy")),
];

/** Stops the kubelet after a failure; otherwise its certificate requests would accumulate in the cluster. */
const stopKubelet = (): Action[] => [stopService("kubelet")];

/** Deletes the join material once the kubelet has its own certificate. */
const afterJoin = (): Action[] => [{ do: "remove-file", path: BOOTSTRAP_KUBECONFIG }];

/** Services that a restart ends. Neither csi-proxy nor windows_exporter reads anything that only a start applies. */
const RESTARTED = ["containerd", "kubelet", "hybrid-overlay-node", "kube-proxy"];

/**
 * Stops the services in the reverse order of their dependencies and starts them in order. Containers go on running: each
 * pod has a shim, which outlives containerd (containerd's runtime/v2 README).
 */
export const restart: Profile["restart"] = {
  services: RESTARTED,
  actions: [
    ...RESTARTED.toReversed().map((name) => stopService(name)),
    ...["containerd", "kubelet"].map((name) => startService(name, logOf(name))),
    ...network(),
  ],
};

/** Plans for the stages in which a machine joins the cluster, and for its end. */
export const plans: Profile["plans"] = {
  guard,
  features,
  payload,
  configure,
  start,
  rejoin,
  network,
  afterJoin,
  stopKubelet,
};
