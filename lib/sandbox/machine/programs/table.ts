import type { Program } from "../machine.ts";
import type { ProgramName } from "../payload.ts";
import { containerd } from "./containerd.ts";
import { ec2Launch } from "./ec2-launch.ts";
import { hybridOverlay } from "./hybrid-overlay.ts";
import { kubeLogRunner } from "./kube-log-runner.ts";
import { kubeProxy } from "./kube-proxy.ts";
import { kubelet } from "./kubelet/kubelet.ts";
import { csiProxy, windowsExporter } from "./plain.ts";
import { ssmAgent } from "./ssm-agent/agent.ts";

/** Every program that a service of the simulated machine can be. */
export const programs: Readonly<Record<ProgramName, Program>> = {
  "amazon-ssm-agent": ssmAgent,
  "ec2-launch": ec2Launch,
  containerd,
  kubelet,
  "kube-proxy": kubeProxy,
  "kube-log-runner": kubeLogRunner,
  "hybrid-overlay-node": hybridOverlay,
  "csi-proxy": csiProxy,
  windows_exporter: windowsExporter,
};
