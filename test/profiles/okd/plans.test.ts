import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { registriesScript } from "../../../lambdas/machine/machine-paths.ts";
import type { Action } from "../../../lambdas/machine/plan.ts";
import type { MachineSpec } from "../../../lambdas/profiles/machine-facts.ts";
import { join } from "../../../lambdas/profiles/okd/join.ts";
import { nodeLabels, selfLabels } from "../../../lambdas/profiles/okd/labels.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { documentLimits } from "../../../lambdas/scripts/documents.ts";
import { configurationWith, factsWith, manifestWithout } from "./facts.ts";

const everything = (facts: MachineSpec): Action[] => [
  ...okd.plans.guard(facts),
  ...okd.plans.features(facts),
  ...okd.plans.payload(facts),
  ...okd.plans.configure(facts),
  ...okd.plans.start(facts),
  ...okd.plans.network(facts),
  ...okd.plans.afterJoin(facts),
];

const inWords = (action: Action): string => {
  if ("path" in action) return `${action.do} ${action.path}`;
  if ("thumbprint" in action) return `${action.do} ${action.thumbprint}`;
  return `${action.do} ${"name" in action ? action.name : action.process}`;
};

describe("the stages of profile okd", () => {
  it("lay the guard first: its folder, its files, the agent's recovery, its task, and a run of it", () => {
    expect(okd.plans.guard(factsWith()).map(inWords)).toEqual([
      "directory C:\\Casement",
      "file C:\\Casement\\guard.ps1",
      "file C:\\Casement\\network.ps1",
      "service-recovery AmazonSSMAgent",
      "task Casement guard",
      "run-task Casement guard",
    ]);
  });

  it("close the guard to everybody but SYSTEM, run it each minute, and let Windows restart the agent for ever", () => {
    const [folder, , , recovery, task] = okd.plans.guard(factsWith());
    expect(folder).toMatchObject({ access: "system" });
    expect(recovery).toMatchObject({ restartAfter: [30, 60, 60] });
    expect(task).toMatchObject({ script: "C:\\Casement\\guard.ps1", arguments: [], everyMinutes: 1 });
  });

  it("bring every file of the payload but the script of the mirrors by bucket, in a folder that only SYSTEM may write", () => {
    const facts = factsWith();
    const actions = [...okd.plans.guard(facts), ...okd.plans.payload(facts)];
    const files = actions.filter((one) => one.do === "file");
    expect(files.map(({ path }) => path).toSorted()).toEqual(
      [...okd.payloadPaths.values()].filter((path) => path !== registriesScript).toSorted(),
    );
    for (const file of files)
      expect(file).toMatchObject({
        source: { from: "bucket", bucket: "casement-prod-west" },
        sha256: expect.any(String),
      });
    expect(okd.plans.payload(facts)[0]).toEqual({ do: "directory", path: "C:\\k", access: "system" });
  });

  it("define WMCO's services in WMCO's order", () => {
    const services = okd.plans.configure(factsWith()).filter((one) => one.do === "service");
    for (const service of services) expect(service).toMatchObject({ restartAfter: [10, 30, 60] });
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
    const actions = [...okd.plans.payload(factsWith()), ...okd.plans.configure(factsWith())];
    const laid = new Set<string>();
    // Written by the programs themselves, or with the order to start them.
    const runtime = ["C:\\k\\kubeconfig", "C:\\k\\kube-proxy.conf", "C:\\k\\bootstrap-kubeconfig"];
    for (const action of actions) {
      if ("path" in action) laid.add(action.path);
      if (action.do !== "service") continue;
      const named = action.commandLine.match(/C:\\k\\[\w\\.-]+/g) ?? [];
      expect(named.filter((path) => !laid.has(path) && !runtime.includes(path))).toEqual([]);
      const logs = action.commandLine.match(/C:\\var\\log\\[\w-]+(?=\\)/g) ?? [];
      expect(logs.filter((path) => !laid.has(path))).toEqual([]);
    }
  });

  it("open the cluster's ports and exclude containerd from Defender before any service is defined", () => {
    const words = okd.plans.configure(factsWith()).map(inWords);
    const first = words.indexOf("service containerd");
    for (const action of [
      "firewall-rule Casement kubelet",
      "firewall-rule Casement overlay network",
      "firewall-rule Casement metrics",
      "defender-exclusion C:\\k\\containerd\\containerd.exe",
    ])
      expect(words.slice(0, first)).toContain(action);
  });

  it("start what joins first, and the network when the node is there", () => {
    expect([...okd.plans.start(factsWith()), ...okd.plans.network(factsWith())].map(inWords)).toEqual([
      "file C:\\k\\bootstrap-kubeconfig",
      "service-state containerd",
      "service-state kubelet",
      "service-state windows_exporter",
      "service-state csi-proxy",
      "service-state hybrid-overlay-node",
      "run-task Casement network",
      "service-state kube-proxy",
    ]);
  });

  it("restart services in the order of their dependencies, the network before kube-proxy, by a plan that travels in the command", () => {
    const { actions, services } = okd.restart;
    const states = actions.map((action) => ("state" in action ? `${action.state} ${action.name}` : inWords(action)));
    expect(states).toEqual([
      "Stopped kube-proxy",
      "Stopped hybrid-overlay-node",
      "Stopped kubelet",
      "Stopped containerd",
      "Running containerd",
      "Running kubelet",
      "Running hybrid-overlay-node",
      "run-task Casement network",
      "Running kube-proxy",
    ]);
    expect(services).toEqual(["containerd", "kubelet", "hybrid-overlay-node", "kube-proxy"]);
    const plan = { format: 2, operation: "restart-3f9c2a71", notAfter: 1_800_000_000, madeAt: 1_800_000_000, actions };
    expect(Buffer.from(JSON.stringify({ plan })).toString("base64").length).toBeLessThan(
      documentLimits.apply.maxRequest,
    );
  });

  it("neither define nor start csi-proxy without its program", () => {
    const facts = factsWith({}, {}, { payload: manifestWithout("csi-proxy.exe") });
    const names = [...okd.plans.configure(facts), ...okd.plans.start(facts)].map(inWords);
    expect(names.filter((words) => /^service\S* csi-proxy/.test(words))).toEqual([]);
    expect(names).toContain("service-state windows_exporter");
  });

  it("bring new join material to a kubelet that is stopped, which reads it when it starts again", () => {
    expect(okd.plans.rejoin(factsWith()).map(inWords)).toEqual([
      "service-state kubelet",
      "file C:\\k\\bootstrap-kubeconfig",
      "service-state kubelet",
    ]);
  });

  it("take join material off the disk, and stop a kubelet that failed to join", () => {
    expect(okd.plans.afterJoin(factsWith())).toEqual([{ do: "remove-file", path: "C:\\k\\bootstrap-kubeconfig" }]);
    expect(okd.plans.stopKubelet(factsWith())).toEqual([{ do: "service-state", name: "kubelet", state: "Stopped" }]);
  });
});

describe("what travels", () => {
  const plainOf = (action: Action): string =>
    action.do === "file" && action.source.from === "inline"
      ? Buffer.from(action.source.base64, "base64").toString()
      : JSON.stringify(action);

  it("is small JSON without a secret for every node of every pool", () => {
    const word = fc.stringMatching(/^[a-z]([a-z0-9]{0,20}[a-z0-9])?$/);
    fc.assert(
      fc.property(
        word,
        fc.dictionary(word, word, { maxKeys: 8 }),
        fc.integer({ min: 1, max: 65_535 }),
        (name, labels, port) => {
          const actions = everything(factsWith({ hybridOverlayPort: port }, { labels }, { nodeName: name }));
          expect(JSON.parse(JSON.stringify(actions))).toEqual(actions);
          expect(actions.filter((one) => one.do === "file" && one.sha256 === null)).toHaveLength(1);
          for (const action of actions) expect(plainOf(action).length).toBeLessThan(8_192);
          expect(actions.map(plainOf).join("\n")).not.toMatch(/PRIVATE KEY|"token"|password/i);
        },
      ),
      { numRuns: 50 },
    );
  });

  it("keeps join material and the kubelet's keys to SYSTEM and Administrators", () => {
    const actions = [...okd.plans.configure(factsWith()), ...okd.plans.start(factsWith())];
    const closed = actions.filter((one) => "access" in one && one.access === "system");
    expect(closed.map(inWords)).toEqual(["directory C:\\var\\lib\\kubelet\\pki", "file C:\\k\\bootstrap-kubeconfig"]);
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
    expect(JSON.parse(join.kubeconfig(configurationWith(), "token-1"))).toMatchObject({
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
