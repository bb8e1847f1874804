import { describe, expect, it } from "vitest";
import { type Machine, openMachine } from "../../../lib/sandbox/machine/machine.ts";
import { metadataRoute } from "../../../lib/sandbox/machine/network.ts";
import { newProcess } from "../../../lib/sandbox/machine/process.ts";
import { guard, guardPaths } from "../../../lib/sandbox/machine/scripts/guard.ts";
import { newMachineState } from "../../../lib/sandbox/machine/state.ts";
import { manualClock } from "../manual-clock.ts";
import { instance, manualSimulation, minutes } from "./fixture.ts";

const facts = instance(1);
const clock = manualClock();

/** A machine with a default route and the state of the case. */
function machineWith(change: (machine: Machine) => void): Machine {
  const simulation = manualSimulation(clock);
  const state = newMachineState(facts, 4, "ABCDEFG");
  state.services = {};
  state.routes = [{ prefix: "0.0.0.0/0", nextHop: "10.0.0.1", interface: "Ethernet", persistent: false }];
  const { store } = simulation;
  const machine = openMachine(
    {
      simulation,
      ports: { cloud: { instance: () => facts } } as never,
      states: store.collection("s"),
      logs: store.collection("l"),
      timers: () => ({}) as never,
      programs: {},
      scripts: {},
      ssmBackend: () => ({}) as never,
    },
    state,
  );
  change(machine);
  return machine;
}

async function run(machine: Machine): Promise<number> {
  const given = new Map([["windowseconds", "20"]]);
  let exit: number | undefined;
  void guard({ machine, process: newProcess(machine.simulation), text: "", arguments: given, request: null }).then(
    (end) => {
      exit = end.exitCode;
    },
  );
  await clock.until(() => exit !== undefined, minutes(1));
  return exit ?? -1;
}

/** Moves the address to the switch, as the first HNS network does. */
function bound(machine: Machine): void {
  const [card] = machine.state.adapters;
  if (card) card.ip = null;
  machine.state.adapters.push({
    index: 10,
    name: "vEthernet (Ethernet)",
    mac: facts.mac,
    physical: false,
    ip: facts.privateIp,
    prefixLength: 24,
    connected: true,
    metric: 25,
  });
  machine.state.routes = [
    { prefix: "0.0.0.0/0", nextHop: "10.0.0.1", interface: "vEthernet (Ethernet)", persistent: false },
  ];
}

const link = (machine: Machine, name: string, persistent = false): void => {
  machine.state.routes.push({ prefix: "169.254.169.254/32", nextHop: "10.0.0.1", interface: name, persistent });
};

/** A second interface in the same subnet, as likely as the first. */
const secondAdapter = {
  index: 7,
  name: "Ethernet 2",
  mac: "02-AB-CD-00-00-02",
  physical: true,
  ip: "10.0.0.200",
  prefixLength: 24,
  connected: true,
  metric: 25,
} as const;

describe("the guard", () => {
  it.each([
    ["adds all six on the one adapter that leads out", () => undefined],
    [
      "moves them to the switch after EC2Launch had put them on the adapter without an address",
      (machine: Machine) => {
        bound(machine);
        link(machine, "Ethernet");
      },
    ],
    [
      "removes stale persistent ones",
      (machine: Machine) => {
        bound(machine);
        link(machine, "Ethernet", true);
      },
    ],
    [
      "passes over the default route of a NAT network",
      (machine: Machine) => {
        machine.state.adapters.push({
          index: 21,
          name: "vEthernet (nat)",
          mac: "00-15-5D-00-00-01",
          physical: false,
          ip: "172.20.0.1",
          prefixLength: 24,
          connected: true,
          metric: 5,
        });
        machine.state.routes.unshift({
          prefix: "0.0.0.0/0",
          nextHop: "172.20.0.2",
          interface: "vEthernet (nat)",
          persistent: false,
        });
      },
    ],
    [
      "forgets the record of a cloned disk",
      (machine: Machine) => {
        machine.disk.write("C:\\Casement\\guard.json", Buffer.from(JSON.stringify({ mac: "02-00-00-00-00-FF" })));
      },
    ],
  ])("%s", async (_, change) => {
    const machine = machineWith(change);
    expect(await run(machine)).toBe(0);
    const six = machine.state.routes.filter((route) => route.prefix.startsWith("169.254."));
    expect(six).toHaveLength(6);
    expect(new Set(six.map((route) => route.interface)).size).toBe(1);
    expect(metadataRoute(machine)).toBe(true);
    const before = JSON.stringify(machine.state.routes);
    expect(await run(machine)).toBe(0);
    expect(JSON.stringify(machine.state.routes)).toBe(before);
  });

  it("writes nothing and fails when no default route leads out", async () => {
    const machine = machineWith(({ state }) => {
      state.routes = [];
    });
    expect(await run(machine)).toBe(1);
    expect(machine.state.routes).toEqual([]);
  });

  it("writes nothing and fails when two interfaces are equally likely", async () => {
    const machine = machineWith(({ state }) => {
      state.adapters.push(secondAdapter);
      state.routes.push({ prefix: "0.0.0.0/0", nextHop: "10.0.0.1", interface: "Ethernet 2", persistent: false });
    });
    expect(guardPaths(machine)).toHaveLength(2);
    expect(await run(machine)).toBe(1);
    expect(metadataRoute(machine)).toBe(false);
  });

  it("chooses the recorded primary interface between two", async () => {
    const machine = machineWith(({ state, disk }) => {
      state.adapters.push(secondAdapter);
      state.routes.unshift({ prefix: "0.0.0.0/0", nextHop: "10.0.0.1", interface: "Ethernet 2", persistent: false });
      disk.write("C:\\Casement\\guard.json", Buffer.from(JSON.stringify({ mac: facts.mac })));
    });
    expect(await run(machine)).toBe(0);
    expect(machine.state.routes.find((route) => route.prefix === "169.254.169.254/32")?.interface).toBe("Ethernet");
  });
});
