import { casementFolder, kubernetesFolder } from "../../machine/machine-paths.ts";

const at = (folder: string, names: readonly string[]): (readonly [name: string, path: string])[] =>
  names.map((name) => [name, `${folder}\\${name}`]);

/** Program of the service csi-proxy: only storage drivers that speak to its pipes need it. */
export const CSI_PROXY = "csi-proxy.exe";

/** Program with which the kubelet gets credentials for images in Amazon's registry. */
export const ECR_PROVIDER = "ecr-credential-provider.exe";

/** The last release published no such script. */
const REGISTRIES_SCRIPT = "registries.ps1";

/** Files that a payload may lack. */
export const optionalPayload: ReadonlySet<string> = new Set([CSI_PROXY, ECR_PROVIDER, REGISTRIES_SCRIPT]);

/** Every file that a machine gets from the bucket, with its path: its programs and Casement's scripts. */
export const payloadPaths: ReadonlyMap<string, string> = new Map([
  ...at(casementFolder, ["guard.ps1", "network.ps1", REGISTRIES_SCRIPT]),
  ...at(kubernetesFolder, [
    "kubelet.exe",
    "kube-proxy.exe",
    "kube-log-runner.exe",
    CSI_PROXY,
    "hybrid-overlay-node.exe",
    "windows_exporter.exe",
    ECR_PROVIDER,
  ]),
  ...at(`${kubernetesFolder}\\containerd`, ["containerd.exe", "containerd-shim-runhcs-v1.exe"]),
  ...at(`${kubernetesFolder}\\cni`, ["host-local.exe", "win-bridge.exe", "win-overlay.exe"]),
]);
