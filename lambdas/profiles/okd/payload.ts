import { casementFolder, kubernetesFolder } from "../../machine/machine-paths.ts";

const at = (folder: string, names: readonly string[]): (readonly [name: string, path: string])[] =>
  names.map((name) => [name, `${folder}\\${name}`]);

/** Every file that a machine gets from the bucket, with its path: its programs and Casement's scripts. */
export const payloadPaths: ReadonlyMap<string, string> = new Map([
  ...at(casementFolder, ["guard.ps1", "network.ps1"]),
  ...at(kubernetesFolder, [
    "kubelet.exe",
    "kube-proxy.exe",
    "kube-log-runner.exe",
    "csi-proxy.exe",
    "hybrid-overlay-node.exe",
    "windows_exporter.exe",
    "ecr-credential-provider.exe",
  ]),
  ...at(`${kubernetesFolder}\\containerd`, ["containerd.exe", "containerd-shim-runhcs-v1.exe"]),
  ...at(`${kubernetesFolder}\\cni`, ["host-local.exe", "win-bridge.exe", "win-overlay.exe"]),
]);
