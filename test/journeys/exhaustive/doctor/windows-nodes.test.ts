import { afterEach, expect, test } from "vitest";
import { account } from "../../../../lib/sandbox/demo-account.ts";
import { calls, newest, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { kubectl, otherWeb } from "../../others.ts";
import { answerTo, openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const report = (): Promise<string> => answerTo(here, "/win doctor");

async function added(): Promise<string> {
  await here.type("operator", "/win add web");
  await settled(here);
  expect((await newest(here)).operation.status).toBe("refused");
  expect(calls(here, "ec2", "RunInstances")).toEqual([]);
  return openly(here).at(-1) ?? "";
}

const pod = (more: object) => ({ containers: [{ name: "agent", image: "docker.io/library/agent:1" }], ...more });

/** Creates a DaemonSet in the namespace `default`. */
const daemonSet = (name: string, spec: object) =>
  kubectl(here, "POST", "/apis/apps/v1/namespaces/default/daemonsets", {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name, namespace: "default" },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec },
    },
  });

test("networks that share addresses, those of the VPC too, refuse a launch, and the doctor names them", async () => {
  const more = [
    { cidr: "10.131.0.0/16", state: "associated" },
    { cidr: "172.30.0.0/16", state: "disassociated" },
  ] as const;
  here = await startJourney({ overrides: { account: { ...account, vpc: { ...account.vpc, more } } } });
  const overlay = { hybridClusterNetwork: [{ cidr: "10.130.0.0/16", hostPrefix: 28 }] };
  await kubectl(here, "PATCH", "/apis/operator.openshift.io/v1/networks/cluster", {
    spec: { defaultNetwork: { ovnKubernetesConfig: { hybridOverlayConfig: overlay } } },
  });
  const words =
    /network of pods \(`10.128.0.0\/14`\) and that of pods on Windows nodes \(`10.130.0.0\/16`\) share addresses/;
  const refusal = await added();
  expect(refusal).toMatch(words);
  expect(refusal).toMatch(/a \/28 of `10.130.0.0\/16`, with addresses for 13 pods, but its kubelet accepts 250/);
  const ofTheVpc = /network of the VPC \(`10.131.0.0\/16`\) and that of pods \(`10.128.0.0\/14`\) share addresses/;
  expect(refusal).toMatch(ofTheVpc);
  const shown = await report();
  expect(shown).toMatch(words);
  expect(shown).toMatch(ofTheVpc);
  expect(`${refusal}${shown}`).not.toContain("172.30.0.0/16");
});

test("a DNS Service at another address refuses a launch", async () => {
  here = await startJourney();
  const path = "/api/v1/namespaces/openshift-dns/services/dns-default";
  await kubectl(here, "DELETE", path);
  const ports = [{ name: "dns", protocol: "UDP", port: 53 }];
  await kubectl(here, "POST", "/api/v1/namespaces/openshift-dns/services", {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "dns-default", namespace: "openshift-dns" },
    spec: { clusterIP: "172.30.0.53", clusterIPs: ["172.30.0.53"], ports },
  });
  expect(await added()).toMatch(
    /DNS Service has the address `172.30.0.53`, but Windows nodes are configured with `172.30.0.10`/,
  );
});

test("the doctor names DaemonSets of Linux that come to Windows nodes, and no other", async () => {
  here = await startJourney({ seedNodes: true });
  const everywhere = [{ operator: "Exists" }];
  await daemonSet("log-agent", pod({ tolerations: everywhere }));
  await daemonSet("node-agent", pod({ tolerations: everywhere, nodeSelector: { "kubernetes.io/arch": "amd64" } }));
  await daemonSet("linux-agent", pod({ tolerations: everywhere, nodeSelector: { "kubernetes.io/os": "linux" } }));
  await daemonSet("windows-agent", pod({ tolerations: everywhere, nodeSelector: { "kubernetes.io/os": "windows" } }));
  await daemonSet("host-agent", pod({ tolerations: everywhere, os: { name: "windows" } }));
  await daemonSet("plain-agent", pod({ tolerations: [{ key: "another", operator: "Exists" }] }));
  const shown = await report();
  expect(shown).toMatch(
    /`default\/log-agent`[^\n]*`default\/node-agent` tolerate the taint of Windows nodes without choosing an operating/,
  );
  expect(shown).not.toMatch(/linux-agent|windows-agent|host-agent|plain-agent/);
});

test("the doctor names pods whose volumes no driver on their Windows node mounts", async () => {
  here = await startJourney({ seedNodes: true });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "ledger" } }];
  await kubectl(here, "POST", "/api/v1/namespaces/default/pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "ledger", namespace: "default" },
    spec: pod({ nodeName: otherWeb.name, tolerations: [{ operator: "Exists" }], volumes }),
  });
  expect(await report()).not.toContain("storage driver");
  await kubectl(here, "PATCH", `/apis/storage.k8s.io/v1/csinodes/${otherWeb.name}`, { spec: { drivers: [] } });
  expect(await report()).toMatch(
    new RegExp(`without a storage driver \\(\`${otherWeb.name}\`\\): \`default/ledger\` cannot start`),
  );
});
