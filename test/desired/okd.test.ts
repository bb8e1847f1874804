import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  afterJoinOperations,
  bootstrapKubeconfig,
  configureOperations,
  featureOperations,
  guardOperations,
  networkOperations,
  payloadOperations,
  startOperations,
  stopKubeletOperations,
} from "../../lambdas/desired/okd.ts";
import type { OkdFacts } from "../../lambdas/desired/okd-facts.ts";
import { nodeLabels, selfLabels } from "../../lambdas/desired/okd-labels.ts";
import { okdPayloadPaths } from "../../lambdas/desired/okd-payload.ts";
import type { Operation } from "../../lambdas/desired/plan.ts";
import { configurationWith, factsWith } from "./okd-facts.ts";

const everything = (facts: OkdFacts): Operation[] => [
  ...guardOperations(facts),
  ...featureOperations(),
  ...payloadOperations(facts),
  ...configureOperations(facts),
  ...startOperations(),
  ...networkOperations(),
  ...afterJoinOperations(),
];

const inWords = (operation: Operation): string => {
  if ("path" in operation) return `${operation.do} ${operation.path}`;
  return `${operation.do} ${"name" in operation ? operation.name : operation.process}`;
};

const contentOf = (operations: Operation[], path: string): string => {
  const file = operations.find((one) => one.do === "file" && one.path === path);
  if (file?.do !== "file" || file.source.from !== "inline") throw new Error(`there is no content for ${path}`);
  return Buffer.from(file.source.base64, "base64").toString();
};

const commandOf = (facts: OkdFacts, name: string): string => {
  const service = configureOperations(facts).find((one) => one.do === "service" && one.name === name);
  return service?.do === "service" ? service.commandLine : "";
};

describe("the stages of profile okd", () => {
  it("lay the guard first: its folder, its files, the agent's recovery, its task, and a run of it", () => {
    expect(guardOperations(factsWith()).map(inWords)).toEqual([
      "directory C:\\Casement",
      "file C:\\Casement\\guard.ps1",
      "file C:\\Casement\\network.ps1",
      "service-recovery AmazonSSMAgent",
      "task Casement guard",
      "run-task Casement guard",
    ]);
  });

  it("bring every file of the payload by bucket, in a folder that only SYSTEM may write", () => {
    const facts = factsWith();
    const operations = [...guardOperations(facts), ...payloadOperations(facts)];
    const files = operations.filter((one) => one.do === "file");
    expect(files.map(({ path }) => path).toSorted()).toEqual([...okdPayloadPaths.values()].toSorted());
    for (const file of files)
      expect(file).toMatchObject({
        source: { from: "bucket", bucket: "casement-prod-west" },
        sha256: expect.any(String),
      });
    expect(payloadOperations(facts)[0]).toEqual({ do: "directory", path: "C:\\k", access: "system" });
  });

  it("define WMCO's services in WMCO's order", () => {
    const services = configureOperations(factsWith()).filter((one) => one.do === "service");
    expect(services.map(({ name, dependsOn, startType }) => [name, dependsOn, startType])).toEqual([
      ["containerd", [], "Automatic"],
      ["kubelet", ["containerd"], "Automatic"],
      ["hybrid-overlay-node", ["kubelet"], "Automatic"],
      ["windows_exporter", [], "Automatic"],
      ["csi-proxy", [], "Automatic"],
      ["kube-proxy", ["hybrid-overlay-node"], "Automatic"],
    ]);
  });

  it("write every file and folder before the service that reads it", () => {
    const operations = [...payloadOperations(factsWith()), ...configureOperations(factsWith())];
    const laid = new Set<string>();
    const runtime = ["C:\\k\\kubeconfig", "C:\\k\\kube-proxy.conf"];
    for (const operation of operations) {
      if ("path" in operation) laid.add(operation.path);
      if (operation.do !== "service") continue;
      const named = operation.commandLine.match(/C:\\k\\[\w\\.-]+/g) ?? [];
      expect(named.filter((path) => !laid.has(path) && !runtime.includes(path))).toEqual([]);
      const logs = operation.commandLine.match(/C:\\var\\log\\[\w-]+(?=\\)/g) ?? [];
      expect(logs.filter((path) => !laid.has(path))).toEqual([]);
    }
  });

  it("start what joins first, and the network when the node is there", () => {
    expect([...startOperations(), ...networkOperations()].map(inWords)).toEqual([
      "service-state containerd",
      "service-state kubelet",
      "service-state windows_exporter",
      "service-state csi-proxy",
      "service-state hybrid-overlay-node",
      "run-task Casement network",
      "service-state kube-proxy",
    ]);
  });

  it("take join material off the disk, and stop a kubelet that failed to join", () => {
    expect(afterJoinOperations()).toEqual([{ do: "remove-file", path: "C:\\k\\bootstrap-kubeconfig" }]);
    expect(stopKubeletOperations()).toEqual([{ do: "service-state", name: "kubelet", state: "Stopped" }]);
  });
});

describe("the command lines", () => {
  it("start containerd and kubelet as WMCO does, with the name and address that EC2 gave", () => {
    const facts = factsWith();
    expect(commandOf(facts, "containerd")).toBe(
      "C:\\k\\containerd\\containerd.exe --config C:\\k\\containerd\\containerd_conf.toml --log-file C:\\var\\log\\containerd\\containerd.log --run-service --log-level info",
    );
    expect(commandOf(facts, "kubelet")).toBe(
      "C:\\k\\kube-log-runner.exe -log-file=C:\\var\\log\\kubelet\\kubelet.log C:\\k\\kubelet.exe --config=C:\\k\\kubelet.conf --bootstrap-kubeconfig=C:\\k\\bootstrap-kubeconfig --kubeconfig=C:\\k\\kubeconfig --cert-dir=C:\\var\\lib\\kubelet\\pki\\ --windows-service --node-labels=casement.dev/pool=web,node.openshift.io/os_id=Windows,tier=web --windows-priorityclass=ABOVE_NORMAL_PRIORITY_CLASS --v=2 --cloud-provider=external --hostname-override=ip-10-0-0-20.us-west-2.compute.internal --node-ip=10.0.0.20 --image-credential-provider-bin-dir=C:\\k --image-credential-provider-config=C:\\k\\credential-provider-config.yaml",
    );
  });

  it("start the network as WMCO does", () => {
    const facts = factsWith();
    expect(commandOf(facts, "hybrid-overlay-node")).toBe(
      "C:\\k\\hybrid-overlay-node.exe --node ip-10-0-0-20.us-west-2.compute.internal --bootstrap-kubeconfig=C:\\k\\kubeconfig --cert-dir=C:\\k\\cni\\config --cert-duration=24h --windows-service --logfile C:\\var\\log\\hybrid-overlay\\hybrid-overlay.log --k8s-apiserver=https://api-int.prod-west.example.com:6443 --k8s-cacert C:\\k\\bootstrap-ca.crt",
    );
    expect(commandOf(facts, "kube-proxy")).toBe(
      "C:\\k\\kube-log-runner.exe -log-file=C:\\var\\log\\kube-proxy\\kube-proxy.log C:\\k\\kube-proxy.exe --config C:\\k\\kube-proxy.conf --windows-service",
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

  it("never ask the metadata service for the node's name", () => {
    expect(JSON.stringify(configureOperations(factsWith()))).not.toContain("169.254.169.254");
  });

  it("name another overlay port, which Windows Server 2019 cannot use", () => {
    const cluster = { hybridOverlayPort: 9789 };
    expect(commandOf(factsWith(cluster), "hybrid-overlay-node")).toContain("--hybrid-overlay-vxlan-port 9789");
    const old = factsWith(cluster, { windows: "2019" }, { build: "10.0.17763" });
    expect(() => configureOperations(old)).toThrow("Windows Server 2019 cannot use the overlay port 9789");
  });
});

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

describe("what travels", () => {
  const plainOf = (operation: Operation): string =>
    operation.do === "file" && operation.source.from === "inline"
      ? Buffer.from(operation.source.base64, "base64").toString()
      : JSON.stringify(operation);

  it("is small JSON without a secret for every node of every pool", () => {
    const word = fc.stringMatching(/^[a-z]([a-z0-9]{0,20}[a-z0-9])?$/);
    fc.assert(
      fc.property(
        word,
        fc.dictionary(word, word, { maxKeys: 8 }),
        fc.integer({ min: 1, max: 65_535 }),
        (name, labels, port) => {
          const operations = everything(factsWith({ hybridOverlayPort: port }, { labels }, { nodeName: name }));
          expect(JSON.parse(JSON.stringify(operations))).toEqual(operations);
          expect(operations.filter((one) => one.do === "file" && one.sha256 === null)).toHaveLength(1);
          for (const operation of operations) expect(plainOf(operation).length).toBeLessThan(8_192);
          expect(operations.map(plainOf).join("\n")).not.toMatch(/PRIVATE KEY|"token"|password/i);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("names join material and does not carry it", () => {
    const secrets = everything(factsWith()).filter((one) => one.do === "file" && one.source.from === "secret");
    expect(secrets).toEqual([
      {
        do: "file",
        path: "C:\\k\\bootstrap-kubeconfig",
        source: { from: "secret", secretId: "casement/prod-west/join/i-0abc", field: "kubeconfig" },
        sha256: null,
        access: "system",
      },
    ]);
  });

  it("carries the hash of what it carries", () => {
    const files = everything(factsWith()).filter((one) => one.do === "file" && one.source.from === "inline");
    expect(files).toHaveLength(5);
    for (const file of files) expect(file).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});

describe("the bootstrap kubeconfig", () => {
  it("names the cluster's API server, the authority on the machine, and the token", () => {
    expect(JSON.parse(bootstrapKubeconfig(configurationWith(), "token-1"))).toMatchObject({
      clusters: [
        {
          cluster: {
            server: "https://api-int.prod-west.example.com:6443",
            "certificate-authority": "C:\\k\\bootstrap-ca.crt",
          },
        },
      ],
      users: [{ user: { token: "token-1" } }],
      "current-context": "bootstrap",
    });
  });
});

describe("labels", () => {
  it("leave those that a kubelet may not set to the workflow", () => {
    const facts = factsWith({}, { labels: { "node-role.kubernetes.io/windows": "", tier: "web" } });
    expect(nodeLabels(facts)).toMatchObject({
      "node-role.kubernetes.io/worker": "",
      "node-role.kubernetes.io/windows": "",
      tier: "web",
    });
    expect(selfLabels(facts)).toBe("casement.dev/pool=web,node.openshift.io/os_id=Windows,tier=web");
  });

  it.for([{ "a b": "c" }, { a: "b c" }, { a: "b --config=x" }, { a: 'b"' }, { "a,b": "c" }])(
    "refuse %o, which would not survive a command line",
    (labels) => {
      expect(() => selfLabels(factsWith({}, { labels }))).toThrow("labels that Kubernetes does not take");
    },
  );
});

describe("the network task", () => {
  const argumentsOf = (version: string): readonly string[] => {
    const task = configureOperations(factsWith({ version })).find((one) => one.do === "task");
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
      "-HnsModule",
      "C:\\k\\hns.psm1",
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
