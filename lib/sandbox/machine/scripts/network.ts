import type { Machine, Script, ScriptRun } from "../machine.ts";
import { hnsNetwork } from "../network.ts";
import { serviceOf, startService, stopService } from "../services.ts";
import type { HnsNetwork } from "../state.ts";

/** Of network.ps1's parameters; the same defaults. */
const WAIT_SECONDS = 540;
const PAUSE_SECONDS = 2;
/** Mandatory parameters: PowerShell itself refuses to run the script without them. */
const mandatory = [
  "nodename",
  "servicenetwork",
  "hnsnetwork",
  "hnsmodule",
  "cniconfig",
  "kubeproxyconfig",
  "kubeconfig",
];

async function awaitNetwork({ machine, process, arguments: given }: ScriptRun): Promise<HnsNetwork> {
  const name = given.get("hnsnetwork") ?? "";
  const seconds = Number(given.get("waitseconds") ?? WAIT_SECONDS);
  const deadline = machine.foundation.clock.now() + seconds * 1000;
  for (;;) {
    const network = hnsNetwork(machine, name);
    if (network) return network;
    if (machine.foundation.clock.now() >= deadline) {
      throw new Error(`the HNS network ${name} did not come within ${seconds} seconds`);
    }
    await process.pause(Number(given.get("pauseseconds") ?? PAUSE_SECONDS) * 1000);
  }
}

/**
 * The endpoint that kube-proxy sends from: the second address of the node's subnet behind the gateway. Windows' own
 * module can look at endpoints and remove them; New-HnsEndpoint comes with hns.psm1 (HostNetworkingService's reference).
 */
function vipEndpoint(machine: Machine, network: HnsNetwork, hnsModule: string): string {
  const known = machine.state.hnsEndpoints.find((one) => one.name === "VIPEndpoint" && one.network === network.name);
  if (known) return known.ip;
  if (!machine.disk.file(hnsModule)) throw new Error("The term 'New-HnsEndpoint' is not recognized");
  const octets = (network.subnet.split("/")[0] ?? "").split(".");
  const ip = [...octets.slice(0, 3), String(Number(octets[3]) + 2)].join(".");
  machine.state.hnsEndpoints.push({ name: "VIPEndpoint", network: network.name, ip });
  machine.save();
  return ip;
}

const policy = (type: string, settings: object): object => ({ name: "EndpointPolicy", value: { type, settings } });

function cniText(network: HnsNetwork, serviceNetwork: string): string {
  return JSON.stringify({
    cniVersion: "0.2.0",
    name: network.name,
    type: "win-overlay",
    apiVersion: 2,
    ipam: { type: "host-local", subnet: network.subnet },
    policies: [
      policy("OutBoundNAT", { exceptionList: [serviceNetwork], destinationPrefix: "", needEncap: false }),
      policy("SDNRoute", { exceptionList: [], destinationPrefix: serviceNetwork, needEncap: true }),
      policy("ProviderAddress", { providerAddress: network.managementIp }),
    ],
  });
}

function proxyText(network: HnsNetwork, sourceVip: string, given: ScriptRun["arguments"]): string {
  return JSON.stringify({
    apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
    kind: "KubeProxyConfiguration",
    mode: "kernelspace",
    hostnameOverride: given.get("nodename"),
    clusterCIDR: network.subnet,
    clientConnection: { kubeconfig: given.get("kubeconfig") },
    featureGates: Object.fromEntries(
      (given.get("featuregates") ?? "")
        .split(",")
        .filter(Boolean)
        .map((gate) => [gate, true]),
    ),
    winkernel: { enableDSR: true, networkName: network.name, sourceVip },
  });
}

function writeIfDifferent(machine: Machine, path: string, text: string): boolean {
  if (machine.disk.text(path) === text) return false;
  machine.disk.write(path, Buffer.from(text));
  return true;
}

async function restartProxy(machine: Machine, kubeConfig: string, changed: boolean): Promise<void> {
  if (!serviceOf(machine, "kube-proxy") || !machine.disk.file(kubeConfig)) return;
  if (changed) await stopService(machine, "kube-proxy");
  await startService(machine, "kube-proxy");
}

/** network.ps1: waits for the overlay network, then writes what CNI and kube-proxy need to know of it. */
export const network: Script = async (run) => {
  const { machine, arguments: given } = run;
  const missing = mandatory.filter((name) => !given.has(name));
  if (missing.length > 0)
    return { exitCode: 1, stdout: "", stderr: `missing mandatory parameters: ${missing.join(" ")}` };
  const found = await awaitNetwork(run);
  const text = (name: string): string => given.get(name) ?? "";
  writeIfDifferent(machine, text("cniconfig"), cniText(found, text("servicenetwork")));
  const proxy = proxyText(found, vipEndpoint(machine, found, text("hnsmodule")), given);
  await restartProxy(machine, text("kubeconfig"), writeIfDifferent(machine, text("kubeproxyconfig"), proxy));
  return { exitCode: 0, stdout: JSON.stringify({ script: "network", ok: true }), stderr: "" };
};
