import { stages } from "../../stages.ts";
import type { Profile } from "../profile.ts";
import { reading } from "./cluster-access.ts";
import { PAUSE_IMAGE, registriesFolder } from "./containerd.ts";
import { join } from "./join.ts";
import { nodeLabels } from "./labels.ts";
import { network } from "./network.ts";
import { optionalPayload, payloadPaths } from "./payload.ts";
import { HNS_NETWORK, kubeletClients, plans, restart, SOURCE_ENDPOINT } from "./plans.ts";
import { okdPorts } from "./ports.ts";
import { optionalServices, runningServices } from "./services.ts";

/** OKD and OpenShift: WMCO's services in WMCO's order, on Amazon's plain Windows images. */
export const okd: Profile = {
  name: "okd",
  stages: stages.provision.map(({ name }) => name),
  payloadPaths,
  optionalPayload,
  pauseImage: PAUSE_IMAGE,
  imageParameter: (windows) => `/aws/service/ami-windows-latest/Windows_Server-${windows}-English-Core-Base`,
  ports: okdPorts,
  nodeName: ({ privateDnsName }) => privateDnsName,
  labels: nodeLabels,
  join,
  network,
  plans,
  restart,
  kubeletClients,
  registryFile: (folder) => `${registriesFolder}\\${folder}\\hosts.toml`,
  reading,
  checks: [
    "server-version",
    "network",
    "launch-obstacles",
    "join-account",
    "machine-approver",
    "kubelet-versions",
    "kubelet-clients",
    "daemonsets",
    "storage-drivers",
  ],
  expected: {
    services: runningServices(),
    optionalServices,
    networkServices: ["kube-proxy"],
    network: HNS_NETWORK,
    endpoint: SOURCE_ENDPOINT,
  },
};
