import { startingTaint } from "../../cluster/node-keys.ts";
import { kubernetesFolder as k } from "../../machine/machine-paths.ts";
import type { MachineSpec } from "../machine-facts.ts";
import { dnsAddress, PODS_PER_NODE } from "./network.ts";
import { ECR_PROVIDER } from "./payload.ts";

/** WMCO's configuration of the kubelet, with eviction on memory: since 1.31 Windows supports it, but not by default. */
export const kubeletConfiguration = ({ configuration, pool }: MachineSpec): object => ({
  kind: "KubeletConfiguration",
  apiVersion: "kubelet.config.k8s.io/v1beta1",
  rotateCertificates: true,
  serverTLSBootstrap: true,
  authentication: { x509: { clientCAFile: `${k}\\kubelet-ca.crt` }, anonymous: { enabled: false } },
  clusterDomain: "cluster.local",
  clusterDNS: [dnsAddress(configuration.cluster)],
  cgroupsPerQOS: false,
  enforceNodeAllocatable: ["none"],
  runtimeRequestTimeout: "10m0s",
  maxPods: PODS_PER_NODE,
  kubeAPIQPS: 50,
  kubeAPIBurst: 100,
  serializeImagePulls: false,
  logging: { flushFrequency: "5s" },
  enableSystemLogHandler: true,
  enableSystemLogQuery: true,
  featureGates: { NodeLogQuery: true, RotateKubeletServerCertificate: true },
  containerLogMaxSize: "50Mi",
  evictionHard: { "nodefs.available": "10%", "imagefs.available": "15%", "memory.available": "500Mi" },
  systemReserved: { cpu: "500m", memory: "2Gi", "ephemeral-storage": "1Gi" },
  containerRuntimeEndpoint: "npipe://./pipe/containerd-containerd",
  registerNode: true,
  registerWithTaints: [pool.taint, startingTaint],
  resolvConf: "",
});

/** Configures credentials for images in Amazon's registry: the payload's provider uses the instance's role. */
export const credentialProviders = (): object => ({
  apiVersion: "kubelet.config.k8s.io/v1",
  kind: "CredentialProviderConfig",
  providers: [
    {
      name: ECR_PROVIDER,
      matchImages: ["*.dkr.ecr.*.amazonaws.com", "*.dkr.ecr.*.amazonaws.com.cn", "*.dkr.ecr-fips.*.amazonaws.com"],
      defaultCacheDuration: "12h",
      apiVersion: "credentialprovider.kubelet.k8s.io/v1",
    },
  ],
});
