import { expect, it } from "vitest";
import type { Machine } from "../../../lib/sandbox/machine/machine.ts";
import { leavesPod } from "../../../lib/sandbox/machine/pod-endpoints.ts";
import { network } from "../../../lib/sandbox/machine/scripts/network.ts";

/** A machine with the parts of the overlay's network that the script reads. */
async function afterTheScript(): Promise<Machine> {
  const files = new Map<string, string>();
  const machine: unknown = {
    state: {
      hnsNetworks: [{ name: "overlay", subnet: "10.132.1.0/24", managementIp: "10.0.0.20" }],
      hnsEndpoints: [],
      services: {},
    },
    disk: {
      file: (path: string) => (files.has(path) ? {} : undefined),
      text: (path: string) => files.get(path),
      write: (path: string, content: Uint8Array) => files.set(path, Buffer.from(content).toString()),
    },
    faultApplies: () => false,
    save: () => undefined,
    clock: () => 0,
    log: () => undefined,
    processes: new Map(),
    simulation: { clock: { now: () => 0 } },
  };
  const given = {
    hnsnetwork: "overlay",
    servicenetwork: "172.30.0.0/16",
    cniconfig: "C:\\k\\cni\\config\\cni.conf",
    kubeproxyconfig: "C:\\k\\kube-proxy.conf",
    kubeconfig: "C:\\k\\kubeconfig",
    nodename: "one",
  };
  const run = { machine, process: {}, text: "", arguments: new Map(Object.entries(given)), request: null };
  await network(run as never);
  return machine as Machine;
}

it("blocks pods from the metadata service and from nothing else", async () => {
  const machine = await afterTheScript();
  expect(leavesPod(machine, "169.254.169.254")).toBe(false);
  for (const address of ["169.254.169.253", "172.30.0.1", "10.0.0.20", "52.94.0.1"])
    expect(leavesPod(machine, address)).toBe(true);
});
