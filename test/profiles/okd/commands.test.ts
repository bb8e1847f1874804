import { describe, expect, it } from "vitest";
import type { MachineSpec } from "../../../lambdas/profiles/machine-facts.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { factsWith, manifestWithout } from "./facts.ts";

const commandOf = (facts: MachineSpec, name: string): string => {
  const service = okd.plans.configure(facts).find((one) => one.do === "service" && one.name === name);
  return service?.do === "service" ? service.commandLine : "";
};

describe("the command lines", () => {
  it("start containerd and kubelet as WMCO does, with the name and address that EC2 gave", () => {
    const facts = factsWith();
    expect(commandOf(facts, "containerd")).toBe(
      "C:\\k\\containerd\\containerd.exe --config C:\\k\\containerd\\containerd_conf.toml --log-file C:\\var\\log\\containerd\\containerd.log --run-service --log-level info",
    );
    expect(commandOf(facts, "kubelet")).toBe(
      "C:\\k\\kube-log-runner.exe -log-file=C:\\var\\log\\kubelet\\kubelet.log -log-file-size=100Mi -log-file-age=168h C:\\k\\kubelet.exe --config=C:\\k\\kubelet.conf --bootstrap-kubeconfig=C:\\k\\bootstrap-kubeconfig --kubeconfig=C:\\k\\kubeconfig --cert-dir=C:\\var\\lib\\kubelet\\pki\\ --windows-service --node-labels=casement.dev/pool=web,node.openshift.io/os_id=Windows,tier=web --windows-priorityclass=ABOVE_NORMAL_PRIORITY_CLASS --v=2 --cloud-provider=external --hostname-override=ip-10-0-0-20.us-west-2.compute.internal --node-ip=10.0.0.20 --image-credential-provider-bin-dir=C:\\k --image-credential-provider-config=C:\\k\\credential-provider-config.yaml",
    );
  });

  it("start the network as WMCO does", () => {
    const facts = factsWith();
    expect(commandOf(facts, "hybrid-overlay-node")).toBe(
      "C:\\k\\hybrid-overlay-node.exe --node ip-10-0-0-20.us-west-2.compute.internal --bootstrap-kubeconfig=C:\\k\\kubeconfig --cert-dir=C:\\k\\cni\\config --cert-duration=24h --windows-service --logfile C:\\var\\log\\hybrid-overlay\\hybrid-overlay.log --k8s-apiserver=https://api-int.prod-west.example.com:6443 --k8s-cacert C:\\k\\bootstrap-ca.crt",
    );
    expect(commandOf(facts, "kube-proxy")).toBe(
      "C:\\k\\kube-log-runner.exe -log-file=C:\\var\\log\\kube-proxy\\kube-proxy.log -log-file-size=100Mi -log-file-age=168h C:\\k\\kube-proxy.exe --config C:\\k\\kube-proxy.conf --windows-service",
    );
  });

  it("start csi-proxy and windows_exporter as WMCO does", () => {
    const facts = factsWith();
    expect(commandOf(facts, "csi-proxy")).toBe(
      "C:\\k\\csi-proxy.exe -log_file=C:\\var\\log\\csi-proxy\\csi-proxy.log -logtostderr=false -windows-service --v=2",
    );
    expect(commandOf(facts, "windows_exporter")).toBe(
      "C:\\k\\windows_exporter.exe --collectors.enabled cpu,logical_disk,net,os,service,system,container,memory,cpu_info --log.level info --log.file C:\\var\\log\\windows_exporter\\windows_exporter.log",
    );
  });

  it("give the kubelet no plugin for credentials that the payload lacks", () => {
    const facts = factsWith({}, {}, { payload: manifestWithout("ecr-credential-provider.exe") });
    expect(commandOf(facts, "kubelet")).not.toContain("credential");
    expect(JSON.stringify(okd.plans.configure(facts))).not.toContain("ecr-credential-provider");
    expect(JSON.stringify(okd.plans.configure(facts))).not.toContain("credential-provider-config");
  });

  it("begin a full log anew only with programs that know the flag", () => {
    for (const name of ["kubelet", "kube-proxy"])
      expect(commandOf(factsWith({ version: "1.33.6" }), name)).toContain(
        `-log-file=C:\\var\\log\\${name}\\${name}.log C:\\k\\`,
      );
  });

  it("never ask the metadata service for the node's name", () => {
    expect(JSON.stringify(okd.plans.configure(factsWith()))).not.toContain("169.254.169.254");
  });

  it("name another overlay port, which Windows Server 2019 cannot use", () => {
    const cluster = { hybridOverlayPort: 9789 };
    expect(commandOf(factsWith(cluster), "hybrid-overlay-node")).toContain("--hybrid-overlay-vxlan-port 9789");
    const old = factsWith(cluster, { windows: "2019" }, { build: "10.0.17763" });
    expect(() => okd.plans.configure(old)).toThrow("Windows Server 2019 cannot use the overlay port 9789");
  });
});

describe("the network task", () => {
  const argumentsOf = (version: string): readonly string[] => {
    const task = okd.plans.configure(factsWith({ version })).find((one) => one.do === "task");
    return task?.do === "task" ? task.arguments : [];
  };

  it("knows everything but what only the machine can know", () => {
    expect(argumentsOf("1.34.2")).toEqual([
      "-NodeName",
      "ip-10-0-0-20.us-west-2.compute.internal",
      "-ServiceNetwork",
      "172.30.0.0/16",
      "-HnsNetwork",
      "OVNKubernetesHybridOverlayNetwork",
      "-CniConfig",
      "C:\\k\\cni\\config\\cni.conf",
      "-KubeProxyConfig",
      "C:\\k\\kube-proxy.conf",
      "-KubeConfig",
      "C:\\k\\kubeconfig",
    ]);
  });

  it("asks for the overlay's feature gates before 1.34", () => {
    expect(argumentsOf("1.33.4").slice(-2)).toEqual(["-FeatureGates", "WinDSR,WinOverlay"]);
  });
});
