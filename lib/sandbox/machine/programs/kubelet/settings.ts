import { parse } from "yaml";
import { z } from "zod";
import { memoize } from "../../../core/memoize.ts";
import { type Flags, flagsOf } from "../../command-line.ts";
import { textAt } from "../../kube-client.ts";
import type { Machine } from "../../machine.ts";

const taint = z.object({ key: z.string(), value: z.string().optional(), effect: z.string() });

/** Defaults are those of the kubelet's configuration (kubelet.config.k8s.io/v1beta1). */
const configSchema = z.object({
  kind: z.literal("KubeletConfiguration"),
  rotateCertificates: z.boolean().default(false),
  serverTLSBootstrap: z.boolean().default(false),
  authentication: z.object({ x509: z.object({ clientCAFile: z.string().optional() }).optional() }).optional(),
  maxPods: z.number().default(110),
  containerRuntimeEndpoint: z.string().default(""),
  registerWithTaints: z.array(taint).default([]),
  systemReserved: z.record(z.string(), z.string()).default({}),
});

/** The kubelets of a pool start with the same text. */
const configIn = memoize((text) => configSchema.parse(parse(text)));

/** Settings that a kubelet takes from its command line and its configuration file. */
export interface KubeletSettings {
  readonly nodeName: string;
  readonly nodeIp: string | null;
  readonly labels: Readonly<Record<string, string>>;
  readonly external: boolean;
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig: string | null;
  readonly certDir: string;
  readonly config: z.infer<typeof configSchema>;
}

/** Labels of these domains a kubelet may give itself (kubelet's options.go and the NodeRestriction admission plugin). */
const ownLabels = [
  "kubernetes.io/hostname",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "node.kubernetes.io/instance-type",
  "node.kubernetes.io/windows-build",
  "topology.kubernetes.io/region",
  "topology.kubernetes.io/zone",
];
const mayLabel = (key: string): boolean => {
  const domain = key.split("/")[0] ?? "";
  if (!/(^|\.)(kubernetes|k8s)\.io$/.test(domain) || !key.includes("/")) return true;
  return ownLabels.includes(key) || /(^|\.)(node|kubelet)\.kubernetes\.io$/.test(domain);
};

/** @throws Error for labels that a kubelet may not set */
function labelsOf(text: string): Record<string, string> {
  const pairs = text
    .split(",")
    .filter(Boolean)
    .map((pair) => pair.split("="));
  const labels = Object.fromEntries(pairs.map(([key = "", value = ""]) => [key, value]));
  const unknown = Object.keys(labels).filter((key) => !mayLabel(key));
  if (unknown.length > 0) {
    throw new Error(`unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${unknown.join(" ")}]`);
  }
  return labels;
}

/** @throws Error when the file is missing, cannot be read, or names a missing authority */
function configAt(machine: Machine, path: string | undefined): KubeletSettings["config"] {
  if (path === undefined) throw new Error("this kubelet is started with --config only");
  const config = configIn(textAt(machine, path));
  const authority = config.authentication?.x509?.clientCAFile;
  if (authority !== undefined) textAt(machine, authority);
  return config;
}

const providersSchema = z.object({
  kind: z.literal("CredentialProviderConfig"),
  providers: z.array(z.object({ name: z.string() })).min(1),
});

/**
 * Requires the programs that provide credentials for images: the kubelet does not start without them (its
 * pkg/credentialprovider/plugin). Like Windows, it finds one without ".exe" in its name.
 * @throws Error when one is missing
 */
function requireCredentialProviders(machine: Machine, flags: Flags): void {
  const path = flags.get("image-credential-provider-config");
  if (path === undefined) return;
  const folder = (flags.get("image-credential-provider-bin-dir") ?? "").replace(/\\+$/, "");
  const programs = providersSchema
    .parse(parse(textAt(machine, path)))
    .providers.map(({ name }) => `${folder}\\${name}`);
  const missing = programs.find((program) => !machine.disk.file(program) && !machine.disk.file(`${program}.exe`));
  if (missing !== undefined)
    throw new Error(`failed to register CRI auth plugins: plugin binary executable ${missing} did not exist`);
}

/**
 * Reads a kubelet's flags and configuration file.
 * @param words its arguments
 * @throws Error in the kubelet's words; the kubelet exits with it
 */
export function settingsOf(machine: Machine, words: readonly string[]): KubeletSettings {
  const flags = flagsOf(words, ["windows-service"]);
  const bootstrap = flags.get("bootstrap-kubeconfig");
  requireCredentialProviders(machine, flags);
  return {
    nodeName: (flags.get("hostname-override") ?? machine.state.computerName).trim().toLowerCase(),
    nodeIp: flags.get("node-ip") ?? null,
    labels: labelsOf(flags.get("node-labels") ?? ""),
    external: flags.get("cloud-provider") === "external",
    kubeconfig: flags.get("kubeconfig") ?? "C:\\var\\lib\\kubelet\\kubeconfig",
    bootstrapKubeconfig: bootstrap ?? null,
    certDir: (flags.get("cert-dir") ?? "C:\\var\\lib\\kubelet\\pki").replace(/\\+$/, ""),
    config: configAt(machine, flags.get("config")),
  };
}
