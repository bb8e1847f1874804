import { startBounded, stopBounded } from "../actions/service-control.ts";
import type { HnsEndpoint, HnsNetwork } from "../hns-state.ts";
import type { Machine, Script, ScriptRun } from "../machine.ts";
import { hnsNetwork } from "../network.ts";
import { serviceOf } from "../services.ts";

import { errorText } from "./causes.ts";
import { requireSpace, tryRecord, writeEvent } from "./records.ts";

/** Defaults of network.ps1's parameters. */
const STATE_FILE = "C:\\Casement\\network.json";
const WAIT_SECONDS = 540;
const PAUSE_SECONDS = 2;
/** Mandatory parameters: PowerShell itself refuses to run the script without them. */
const mandatory = ["nodename", "servicenetwork", "hnsnetwork", "cniconfig", "kubeproxyconfig", "kubeconfig"];

async function awaitNetwork({ machine, process, arguments: given }: ScriptRun): Promise<HnsNetwork> {
  const name = given.get("hnsnetwork") ?? "";
  const seconds = Number(given.get("waitseconds") ?? WAIT_SECONDS);
  const deadline = machine.simulation.clock.now() + seconds * 1000;
  for (;;) {
    const network = hnsNetwork(machine, name);
    if (network) return network;
    if (machine.simulation.clock.now() >= deadline) {
      throw new Error(`the HNS network ${name} did not come within ${seconds} seconds`);
    }
    await process.pause(Number(given.get("pauseseconds") ?? PAUSE_SECONDS) * 1000);
  }
}

/**
 * The endpoint that kube-proxy sends from: the second address of the node's subnet, after the gateway's. The host must
 * have it.
 */
async function vipEndpoint({ machine, process }: ScriptRun, network: HnsNetwork): Promise<string> {
  const { state } = machine;
  const own = (one: HnsEndpoint): boolean => one.name === "VIPEndpoint";
  const known = state.hnsEndpoints.find((one) => own(one) && one.network === network.name && one.attached);
  state.hnsEndpoints = state.hnsEndpoints.filter((one) => !own(one) || one === known);
  if (known) return known.ip;
  const octets = (network.subnet.split("/")[0] ?? "").split(".");
  const ip = [...octets.slice(0, 3), String(Number(octets[3]) + 2)].join(".");
  const attached = !machine.faultApplies("endpoint-not-attached");
  state.hnsEndpoints.push({ name: "VIPEndpoint", network: network.name, ip, attached });
  machine.save();
  if (attached) return ip;
  await process.pause(30_000);
  throw new Error("the endpoint VIPEndpoint gave this machine no address within 30 seconds");
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
      policy("ACL", { Action: "Block", Direction: "Out", RemoteAddresses: "169.254.169.254/32", Priority: 200 }),
      policy("ACL", { Action: "Allow", Direction: "In", Priority: 300 }),
      policy("ACL", { Action: "Allow", Direction: "Out", Priority: 300 }),
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
  requireSpace(machine, path);
  machine.disk.write(path, Buffer.from(text));
  return true;
}

async function restartProxy({ machine, process }: ScriptRun, kubeConfig: string, changed: boolean): Promise<void> {
  if (!serviceOf(machine, "kube-proxy") || !machine.disk.file(kubeConfig)) return;
  if (changed) await stopBounded(machine, process, "kube-proxy");
  await startBounded(machine, process, "kube-proxy");
}

async function setUp(run: ScriptRun): Promise<void> {
  const { machine, arguments: given } = run;
  const found = await awaitNetwork(run);
  const text = (name: string): string => given.get(name) ?? "";
  writeIfDifferent(machine, text("cniconfig"), cniText(found, text("servicenetwork")));
  const proxy = proxyText(found, await vipEndpoint(run, found), given);
  await restartProxy(run, text("kubeconfig"), writeIfDifferent(machine, text("kubeproxyconfig"), proxy));
}

/** Saves the result in the record, and writes an event. */
function saveResult({ machine, arguments: given }: ScriptRun, error: string): void {
  const at = new Date(machine.clock()).toISOString();
  writeEvent(machine, 4002, error || "The network is set up.");
  tryRecord(machine, 4002, given.get("statefile") ?? STATE_FILE, { script: "network", ok: error === "", error, at });
}

/** network.ps1: waits for the overlay network, then writes the settings that CNI and kube-proxy need. */
export const network: Script = async (run) => {
  const missing = mandatory.filter((name) => !run.arguments.has(name));
  if (missing.length > 0)
    return { exitCode: 1, stdout: "", stderr: `missing mandatory parameters: ${missing.join(" ")}` };
  try {
    await setUp(run);
    saveResult(run, "");
    return { exitCode: 0, stdout: "", stderr: "" };
  } catch (error) {
    saveResult(run, errorText(error));
    return { exitCode: 1, stdout: "", stderr: "" };
  }
};
