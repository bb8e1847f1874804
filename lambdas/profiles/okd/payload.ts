import { z } from "zod";
import { casementFolder, kubernetesFolder } from "../../desired/machine-paths.ts";
import { knownPart } from "../../known-part.ts";

const at = (folder: string, names: readonly string[]): (readonly [name: string, path: string])[] =>
  names.map((name) => [name, `${folder}\\${name}`]);

/** Every file that a machine of profile okd gets from the bucket, and where it lies: WMCO's payload and our scripts. */
export const okdPayloadPaths: ReadonlyMap<string, string> = new Map([
  ...at(casementFolder, ["guard.ps1", "network.ps1"]),
  ...at(kubernetesFolder, [
    "kubelet.exe",
    "kube-proxy.exe",
    "kube-log-runner.exe",
    "csi-proxy.exe",
    "hybrid-overlay-node.exe",
    "windows_exporter.exe",
    "ecr-credential-provider.exe",
    "hns.psm1",
  ]),
  ...at(`${kubernetesFolder}\\containerd`, ["containerd.exe", "containerd-shim-runhcs-v1.exe"]),
  ...at(`${kubernetesFolder}\\cni`, ["host-local.exe", "win-bridge.exe", "win-overlay.exe"]),
]);

const file = z.strictObject({
  name: z.string().min(1),
  version: z.string().min(1),
  /** Path of the file on the machine. */
  path: z.string().regex(/^C:\\[^"*?<>|/]+$/),
  /** Key in the cluster's bucket, and the version of that object. */
  key: z.string().min(1),
  versionId: z.string().min(1),
  /** Hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Bytes. */
  size: z.number().int().positive(),
});

function faultsOf(files: readonly PayloadFile[]): string[] {
  const names = files.map(({ name }) => name);
  const missing = [...okdPayloadPaths.keys()].filter((name) => !names.includes(name));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  const strange = files.filter(({ name, path }) => okdPayloadPaths.get(name) !== path);
  return [
    ...missing.map((name) => `${name} is missing`),
    ...twice.map((name) => `${name} is named twice`),
    ...strange.map(({ name, path }) => `${name} does not belong at ${path}`),
  ];
}

/** A manifest as it is written: an unknown key is a mistake. */
export const manifestSchema = z
  .strictObject({
    format: z.literal(1),
    profile: z.literal("okd"),
    /** Kubernetes version of the programs, "1.34.2". */
    kubernetes: z.string().regex(/^\d+\.\d+\.\d+$/),
    files: z.array(file),
  })
  .superRefine(({ files }, context) => {
    for (const message of faultsOf(files)) context.addIssue({ code: "custom", path: ["files"], message });
  });

/** One file of the payload. */
export type PayloadFile = z.infer<typeof file>;

/** Which files a release puts on a machine, each pinned by version and hash. */
export type PayloadManifest = z.infer<typeof manifestSchema>;

/**
 * Checks a payload manifest.
 * @param value what the bucket held, parsed
 * @throws Error that lists every fault: a missing file, one in the wrong place, a malformed hash
 */
export function payloadManifestOf(value: unknown): PayloadManifest {
  const checked = manifestSchema.safeParse(value);
  if (checked.success) return checked.data;
  const faults = checked.error.issues.map((issue) => `  ${issue.path.join(".") || "(top)"}: ${issue.message}`);
  throw new Error(`The payload manifest is not valid:\n${faults.join("\n")}`);
}

const named = z.looseObject({ name: z.string() });

/**
 * Reads a manifest that was published, maybe by the next release: keys and files that only that release knows are left out.
 * @param value what the runtime document held, parsed
 * @throws Error that lists every fault
 */
export function readPayloadManifest(value: unknown): PayloadManifest {
  const { files, ...rest } = z.looseObject({ files: z.array(named) }).parse(value);
  const known = files.filter(({ name }) => okdPayloadPaths.has(name));
  return payloadManifestOf(knownPart(manifestSchema, { ...rest, files: known }));
}
