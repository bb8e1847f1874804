import { parse as parseYaml, stringify } from "yaml";
import { messageOf } from "../../../../message-of.ts";
import { issuedAt, maintainCertificate } from "../../certificate-manager.ts";
import type { Template } from "../../certificate-request.ts";
import { type Credentials, credentialsAt, textAt } from "../../kube-client.ts";
import type { Machine, Program, ProgramContext } from "../../machine.ts";
import { type Kubelet, registerNode, startHeartbeat } from "./heartbeat.ts";
import { type KubeletSettings, settingsOf } from "./settings.ts";

const clientFile = ({ certDir }: KubeletSettings): string => `${certDir}\\kubelet-client-current.pem`;
/** Path of a kubelet's serving certificate. */
export const servingFile = ({ certDir }: KubeletSettings): string => `${certDir}\\kubelet-server-current.pem`;

/** Does the kubelet have a client certificate that has not expired? */
function hasClientCertificate(machine: Machine, settings: KubeletSettings): boolean {
  const issued = issuedAt(machine, clientFile(settings));
  return issued !== undefined && issued.notAfter > machine.simulation.clock.now();
}

/** The kubeconfig that a bootstrapping kubelet writes: the same cluster, its own certificate file. */
function ownKubeconfig(bootstrap: unknown, settings: KubeletSettings): string {
  const { clusters } = bootstrap as { readonly clusters: readonly { readonly cluster: unknown }[] };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "default-cluster", cluster: clusters[0]?.cluster }],
    contexts: [{ name: "default-context", context: { cluster: "default-cluster", user: "default-auth" } }],
    "current-context": "default-context",
    users: [
      {
        name: "default-auth",
        user: { "client-certificate": clientFile(settings), "client-key": clientFile(settings) },
      },
    ],
  });
}

/**
 * Checks the bootstrap kubeconfig and writes the kubelet's own, before the first certificate. @throws Error without it
 */
function prepareBootstrap(machine: Machine, settings: KubeletSettings): void {
  const path = settings.bootstrapKubeconfig;
  if (hasClientCertificate(machine, settings) && machine.disk.file(settings.kubeconfig)) return;
  if (path === null) throw new Error(`no client certificate and no --bootstrap-kubeconfig: ${settings.kubeconfig}`);
  credentialsAt(machine, path);
  const bootstrap: unknown = parseYaml(textAt(machine, path));
  machine.disk.write(settings.kubeconfig, Buffer.from(ownKubeconfig(bootstrap, settings)), "system");
}

/**
 * Uses the node's certificate once there is one, before that the bootstrap token. The kubelet reads the token at its
 * start: a file that is written later takes effect at the next start (cmd/kubelet/app, buildKubeletClientConfig).
 */
function credentialsFrom(machine: Machine, settings: KubeletSettings): () => Credentials {
  const { bootstrapKubeconfig, kubeconfig } = settings;
  const started =
    hasClientCertificate(machine, settings) || bootstrapKubeconfig === null
      ? undefined
      : credentialsAt(machine, bootstrapKubeconfig);
  return () =>
    hasClientCertificate(machine, settings) || started === undefined ? credentialsAt(machine, kubeconfig) : started;
}

const identity = ({ nodeName }: KubeletSettings): Pick<Template, "commonName" | "organizations"> => ({
  commonName: `system:node:${nodeName}`,
  organizations: ["system:nodes"],
});

function keepClientCertificate(context: ProgramContext, settings: KubeletSettings): void {
  void maintainCertificate(context, {
    signerName: "kubernetes.io/kube-apiserver-client-kubelet",
    usage: "client auth",
    expirationSeconds: null,
    file: clientFile(settings),
    template: () => ({ ...identity(settings), dnsNames: [], ipAddresses: [] }),
    credentials: credentialsFrom(context.machine, settings),
  });
}

/** The serving certificate names every address of the Node; without an IP address the kubelet requests none. */
function servingTemplate({ settings, seen }: Kubelet): Template | null {
  const of = (...types: string[]): string[] => [
    ...new Set(seen.addresses.filter((one) => types.includes(one.type)).map((one) => one.address)),
  ];
  const ipAddresses = of("InternalIP", "ExternalIP");
  if (ipAddresses.length === 0) return null;
  return { ...identity(settings), dnsNames: of("Hostname", "InternalDNS", "ExternalDNS"), ipAddresses };
}

function keepServingCertificate(kubelet: Kubelet): void {
  void maintainCertificate(kubelet.context, {
    signerName: "kubernetes.io/kubelet-serving",
    usage: "server auth",
    expirationSeconds: null,
    file: servingFile(kubelet.settings),
    template: () => servingTemplate(kubelet),
    credentials: kubelet.credentials,
  });
}

async function live(context: ProgramContext, settings: KubeletSettings): Promise<void> {
  keepClientCertificate(context, settings);
  while (!hasClientCertificate(context.machine, settings)) await context.process.pause(1_000);
  const credentials = () => credentialsAt(context.machine, settings.kubeconfig);
  const kubelet: Kubelet = { context, settings, credentials, seen: { addresses: [], conditions: [], reportedAt: 0 } };
  await registerNode(kubelet);
  if (settings.config.serverTLSBootstrap) keepServingCertificate(kubelet);
  startHeartbeat(kubelet);
}

const SHIM = "C:\\k\\containerd\\containerd-shim-runhcs-v1.exe";

/** Starts a pod's shim of containerd, which keeps running when containerd and the kubelet stop. */
function loadShim(machine: Machine): void {
  if (!machine.disk.file(SHIM) || machine.state.loaded.includes(SHIM)) return;
  machine.state.loaded.push(SHIM);
  machine.save();
}

/**
 * The kubelet: gets its client certificate with the bootstrap token, registers its Node, renews both certificates, and
 * reports. It exits at once when its configuration or its bootstrap credentials are missing.
 */
export const kubelet: Program = (context) => {
  try {
    const settings = settingsOf(context.machine, context.words);
    prepareBootstrap(context.machine, settings);
    loadShim(context.machine);
    live(context, settings).catch((error: unknown) => context.exit(1, `failed to run Kubelet: ${String(error)}`));
    return undefined;
  } catch (error) {
    return { code: 1, reason: `failed to run Kubelet: ${messageOf(error)}` };
  }
};
