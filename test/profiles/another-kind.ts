import { POOL_LABEL } from "../../lambdas/cluster/node-keys.ts";
import { jsonFile, startService, stopService, textFile } from "../../lambdas/machine/actions.ts";
import type { Profile } from "../../lambdas/profiles/profile.ts";

const none = () => [];

/** A kind of cluster that shares nothing with the shipped one: no certificates to approve, one service, a network that is there. */
export const anotherKind: Profile = {
  name: "another",
  stages: ["admit", "launch", "agent", "guard", "configure", "node", "network", "ready", "verify"],
  payloadPaths: new Map([["agent.exe", "C:\\another\\agent.exe"]]),
  optionalPayload: new Set(),
  pauseImage: "example.com/pause:1",
  imageParameter: (windows) => `/another/windows-${windows}`,
  ports: () => [{ name: "agent", protocol: "TCP", port: 8_443, from: ["control-plane"] }],
  nodeName: ({ privateDnsName }) => privateDnsName.split(".")[0] ?? "",
  labels: ({ poolName }) => ({ [POOL_LABEL]: poolName, "example.com/kind": "another" }),
  join: { by: "instance-role" },
  network: {
    object: { group: "example.com", version: "v1", plural: "networks", name: "pods" },
    findings: none,
    podsPerNode: 110,
    dns: { namespace: "kube-system", name: "kube-dns", address: () => "10.96.0.10" },
    before: [],
    after: [
      {
        name: "the agent is there",
        annotation: "example.com/agent",
        waitsFor: "the agent to announce itself",
        code: "gateway-missing",
      },
    ],
  },
  plans: {
    guard: none,
    features: none,
    payload: none,
    configure: ({ nodeName, pool }) => [jsonFile("C:\\another\\agent.json", { nodeName, windows: pool.windows })],
    start: none,
    rejoin: none,
    network: () => [startService("agent", "C:\\another\\agent.log")],
    afterJoin: none,
    stopKubelet: none,
  },
  restart: { services: ["agent"], actions: [stopService("agent"), startService("agent", "C:\\another\\agent.log")] },
  reading: [{ does: "see the networks", verb: "get", group: "example.com", resource: "networks", name: "pods" }],
  registryFile: (folder) => `C:\\other\\registries\\${folder}\\hosts.toml`,
  kubeletClients: (pem) => textFile("C:\\other\\clients.crt", pem),
  checks: ["kubelet-versions", "network"],
  expected: { services: [{ name: "agent" }], optionalServices: [], network: "pods", endpoint: "source" },
};
