import { flagsOf } from "../command-line.ts";
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

/**
 * A Go program talks to the service control manager only when a flag says so; without it, the manager waits and then
 * ends it (kubelet's and kube-proxy's "--windows-service", containerd's "--run-service").
 */
const serviceFlags =
  (flag: string, program: Program): Program =>
  (context) => {
    if (flagsOf(context.words, [flag]).get(flag) === "true") return program(context);
    return { code: 1, reason: `It never reported to the service control manager: it was not told by --${flag}.` };
  };

/** Every program that a service of the simulated machine can run. */
export const programs: Readonly<Record<ProgramName, Program>> = {
  "amazon-ssm-agent": ssmAgent,
  "ec2-launch": ec2Launch,
  containerd: serviceFlags("run-service", containerd),
  kubelet: serviceFlags("windows-service", kubelet),
  "kube-proxy": serviceFlags("windows-service", kubeProxy),
  "kube-log-runner": kubeLogRunner,
  "hybrid-overlay-node": serviceFlags("windows-service", hybridOverlay),
  "csi-proxy": serviceFlags("windows-service", csiProxy),
  windows_exporter: windowsExporter,
};
