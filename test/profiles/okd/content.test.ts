import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import type { Action } from "../../../lambdas/machine/plan.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { factsWith } from "./facts.ts";

const contentOf = (actions: readonly Action[], path: string): string => {
  const file = actions.find((one) => one.do === "file" && one.path === path);
  if (file?.do !== "file" || file.source.from !== "inline") throw new Error(`there is no content for ${path}`);
  return Buffer.from(file.source.base64, "base64").toString();
};

describe("the kubelet's configuration", () => {
  it("is WMCO's, with eviction on memory and the taint that keeps pods away", () => {
    expect(JSON.parse(contentOf(okd.plans.configure(factsWith()), "C:\\k\\kubelet.conf"))).toEqual({
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

  it.each([
    ["in the middle of a network", {}, "10.96.128.10"],
    ["at the configured address", { dnsAddress: "10.96.129.53" }, "10.96.129.53"],
  ])("finds the cluster's DNS %s", (_where, more, address) => {
    const facts = factsWith({ serviceNetwork: "10.96.128.0/17", ...more });
    expect(JSON.parse(contentOf(okd.plans.configure(facts), "C:\\k\\kubelet.conf")).clusterDNS).toEqual([address]);
  });
});

describe("the kubelet's credentials for images", () => {
  it("come from the program of the payload, for Amazon's registries in every partition", () => {
    const text = contentOf(okd.plans.configure(factsWith()), "C:\\k\\credential-provider-config.yaml");
    expect(JSON.parse(text)).toEqual({
      apiVersion: "kubelet.config.k8s.io/v1",
      kind: "CredentialProviderConfig",
      providers: [
        {
          name: "ecr-credential-provider.exe",
          matchImages: ["*.dkr.ecr.*.amazonaws.com", "*.dkr.ecr.*.amazonaws.com.cn", "*.dkr.ecr-fips.*.amazonaws.com"],
          defaultCacheDuration: "12h",
          apiVersion: "credentialprovider.kubelet.k8s.io/v1",
        },
      ],
    });
  });
});

describe("containerd's configuration", () => {
  const text = contentOf(okd.plans.configure(factsWith()), "C:\\k\\containerd\\containerd_conf.toml");

  it("is WMCO's, as TOML reads it", () => {
    expect(parse(text)).toMatchObject({
      version: 2,
      disabled_plugins: ["io.containerd.nri.v1.nri"],
      grpc: { address: "\\\\.\\pipe\\containerd-containerd" },
      plugins: {
        "io.containerd.grpc.v1.cri": {
          sandbox_image: "mcr.microsoft.com/oss/kubernetes/pause:3.9",
          image_pull_progress_timeout: "30m0s",
          max_concurrent_downloads: 3,
          max_container_log_line_size: 16_384,
          stream_server_address: "127.0.0.1",
          stream_idle_timeout: "4h0m0s",
          disable_tcp_service: true,
          cni: { bin_dir: "C:\\k\\cni", conf_dir: "C:\\k\\cni\\config", max_conf_num: 1, ip_pref: "ipv4" },
          containerd: {
            default_runtime_name: "runhcs-wcow-process",
            snapshotter: "windows",
            runtimes: { "runhcs-wcow-process": { runtime_type: "io.containerd.runhcs.v1" } },
          },
          registry: { config_path: "C:\\k\\containerd\\registries" },
        },
        "io.containerd.service.v1.diff-service": { default: ["windows", "windows-lcow"] },
      },
    });
  });

  it("holds no backslash that TOML would take for an escape", () => {
    expect(text.match(/"[^"\n]*\\[^"\n]*"/g)).toBeNull();
  });
});
