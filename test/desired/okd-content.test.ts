import { describe, expect, it } from "vitest";
import { configureOperations } from "../../lambdas/desired/okd.ts";
import type { Operation } from "../../lambdas/desired/plan.ts";
import { factsWith } from "./okd-facts.ts";

const contentOf = (operations: Operation[], path: string): string => {
  const file = operations.find((one) => one.do === "file" && one.path === path);
  if (file?.do !== "file" || file.source.from !== "inline") throw new Error(`there is no content for ${path}`);
  return Buffer.from(file.source.base64, "base64").toString();
};

describe("the kubelet's configuration", () => {
  it("is WMCO's, with eviction on memory and the taint that keeps pods away", () => {
    expect(JSON.parse(contentOf(configureOperations(factsWith()), "C:\\k\\kubelet.conf"))).toEqual({
      kind: "KubeletConfiguration",
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      rotateCertificates: true,
      serverTLSBootstrap: true,
      authentication: { x509: { clientCAFile: "C:\\k\\kubelet-ca.crt" }, anonymous: { enabled: false } },
      clusterDomain: "cluster.local",
      clusterDNS: ["172.30.0.10"],
      cgroupsPerQOS: false,
      enforceNodeAllocatable: ["none"],
      runtimeRequestTimeout: "10m0s",
      maxPods: 250,
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
      registerWithTaints: [
        { key: "os", value: "Windows", effect: "NoSchedule" },
        { key: "casement.dev/starting", value: "true", effect: "NoSchedule" },
      ],
      resolvConf: "",
    });
  });

  it("finds the cluster's DNS in the middle of a network too", () => {
    const text = contentOf(configureOperations(factsWith({ serviceNetwork: "10.96.128.0/17" })), "C:\\k\\kubelet.conf");
    expect(JSON.parse(text).clusterDNS).toEqual(["10.96.128.10"]);
  });
});

describe("containerd's configuration", () => {
  const text = contentOf(configureOperations(factsWith()), "C:\\k\\containerd\\containerd_conf.toml");

  it.for([
    "address = '\\\\.\\pipe\\containerd-containerd'",
    "config_path = 'C:\\k\\containerd\\registries'",
    "bin_dir = 'C:\\k\\cni'",
    "conf_dir = 'C:\\k\\cni\\config'",
    'default_runtime_name = "runhcs-wcow-process"',
  ])("says %s", (line) => {
    expect(text).toContain(line);
  });

  it("holds no backslash that TOML would take for an escape", () => {
    expect(text.match(/"[^"\n]*\\[^"\n]*"/g)).toBeNull();
  });
});
