import { expect } from "vitest";
import { GUARD_RECORD, type MachineCase } from "./case.ts";
import { adapter, GATEWAY, MAC, type Machine, type Route, route, service } from "./windows.ts";

/** The addresses that EC2Launch manages; a machine needs all of them. */
const linkLocal = [254, 253, 123, 249, 250, 251].map((last) => `169.254.169.${last}/32`);

/** One situation after a boot, and the routes that the guard must produce. */
interface RouteCase {
  readonly name: string;
  readonly before: Partial<Machine>;
  /** The primary MAC address that an earlier run recorded. */
  readonly recorded?: string;
  /** The interface that carries all six routes afterwards; null when nothing may be written. */
  readonly through: number | null;
  readonly exitCode: number;
}

const fallback = route("0.0.0.0/0", GATEWAY, 6);
const six = (index: number, nextHop = GATEWAY, store: Route["store"] = "ActiveStore"): Route[] =>
  linkLocal.map((prefix) => route(prefix, nextHop, index, store, 15));

/**
 * The state after the first container network: a virtual adapter of the same MAC has the physical adapter's address.
 */
const bound = [adapter(6, MAC, "", { addresses: [] }), adapter(10, MAC, "10.0.0.20", { physical: false })];
const NAT = adapter(20, "00-15-5D-00-00-01", "172.20.0.1", { physical: false, metric: 1 });
const launching = { AmazonSSMAgent: service({ state: "Stopped" }), "Amazon EC2Launch": service() };
const launched = { ...launching, "Amazon EC2Launch": service({ state: "Stopped" }) };

const routeCases: readonly RouteCase[] = [
  {
    name: "adds all six routes when none is left",
    before: { routes: [fallback] },
    through: 6,
    exitCode: 0,
  },
  {
    name: "changes nothing when all is right",
    before: { routes: [fallback, ...six(6)] },
    recorded: MAC,
    through: 6,
    exitCode: 0,
  },
  {
    name: "moves routes from the adapter that a container network left without an address",
    before: { adapters: bound, routes: [route("0.0.0.0/0", GATEWAY, 10), ...six(6)] },
    recorded: MAC,
    through: 10,
    exitCode: 0,
  },
  {
    name: "removes persistent routes to the gateway of another subnet",
    before: { routes: [fallback, ...six(6, "10.9.9.1"), ...six(6, "10.9.9.1", "PersistentStore")] },
    recorded: MAC,
    through: 6,
    exitCode: 0,
  },
  {
    name: "keeps a persistent route that leads to the right gateway",
    before: { routes: [fallback, ...six(6), ...six(6, GATEWAY, "PersistentStore")] },
    recorded: MAC,
    through: 6,
    exitCode: 0,
  },
  {
    name: "repairs again what EC2Launch deletes and adds on the adapter without an address",
    before: {
      adapters: bound,
      routes: [route("0.0.0.0/0", GATEWAY, 10)],
      services: launching,
      later: [{ routes: [route("0.0.0.0/0", GATEWAY, 10), ...six(6)] }, { services: launched }],
    },
    recorded: MAC,
    through: 10,
    exitCode: 0,
  },
  {
    name: "chooses the recorded primary interface among several default gateways",
    before: {
      adapters: [NAT, adapter(6, MAC, "10.0.0.20"), adapter(8, "02-AA-BB-CC-DD-02", "10.0.7.20", { metric: 5 })],
      routes: [route("0.0.0.0/0", "172.20.0.254", 20), route("0.0.0.0/0", "10.0.7.1", 8), fallback],
    },
    recorded: MAC,
    through: 6,
    exitCode: 0,
  },
  {
    name: "discards the record of the machine whose disk was copied",
    before: { routes: [fallback, ...six(6, "10.9.9.1")] },
    recorded: "02-FF-FF-FF-FF-FF",
    through: 6,
    exitCode: 0,
  },
  {
    name: "waits for the default route instead of guessing",
    before: { routes: [], later: [{}, { routes: [fallback] }] },
    through: 6,
    exitCode: 0,
  },
  {
    name: "fails without writing when no default route comes",
    before: { routes: [] },
    through: null,
    exitCode: 1,
  },
  {
    name: "ignores a default route of an adapter that gave itself its address",
    before: {
      adapters: [
        adapter(6, MAC, "10.0.0.20"),
        adapter(7, "02-AA-BB-CC-DD-07", "169.254.5.5", {
          metric: 1,
          addresses: [{ ip: "169.254.5.5", prefix: 16, state: "Preferred" }],
        }),
      ],
      routes: [route("0.0.0.0/0", "169.254.0.1", 7), fallback],
    },
    through: 6,
    exitCode: 0,
  },
  {
    name: "fails without writing when two interfaces are equally likely",
    before: {
      adapters: [adapter(6, MAC, "10.0.0.20"), adapter(8, "02-AA-BB-CC-DD-02", "10.0.7.20")],
      routes: [fallback, route("0.0.0.0/0", "10.0.7.1", 8)],
    },
    through: null,
    exitCode: 1,
  },
  {
    name: "chooses the lower metric of two interfaces that are otherwise alike",
    before: {
      adapters: [adapter(6, MAC, "10.0.0.20"), adapter(8, "02-AA-BB-CC-DD-02", "10.0.7.20", { metric: 50 })],
      routes: [route("0.0.0.0/0", "10.0.7.1", 8), fallback],
    },
    through: 6,
    exitCode: 0,
  },
  {
    name: "ignores the default route of an adapter whose cable is out",
    before: { adapters: [adapter(6, MAC, "10.0.0.20", { connected: false })], routes: [fallback] },
    through: null,
    exitCode: 1,
  },
  {
    name: "ignores a default route whose gateway is outside the interface's subnet",
    before: { routes: [route("0.0.0.0/0", "10.0.9.1", 6)] },
    through: null,
    exitCode: 1,
  },
];

const carriedBy = (machine: Machine, prefix: string): (number | string)[] =>
  machine.routes
    .filter((one) => one.prefix === prefix && one.store === "ActiveStore")
    .flatMap((one) => [one.index, one.nextHop]);

/** Expects all six routes through this interface, or none, and no others. */
const carries = (through: number | null) => (machine: Machine) => {
  for (const prefix of linkLocal) expect(carriedBy(machine, prefix)).toEqual(through ? [through, GATEWAY] : []);
  const stale = machine.routes.filter((one) => linkLocal.includes(one.prefix) && one.nextHop !== GATEWAY);
  expect(stale).toEqual([]);
};

const record = (change: object): string => JSON.stringify({ mac: MAC, repairs: 0, ok: true, error: "", ...change });
const kept = (pattern: RegExp): Readonly<Record<string, RegExp>> => ({ [GUARD_RECORD]: pattern });
/** Routes of a machine in order: all six. */
const right: Partial<Machine> = { routes: [fallback, ...six(6)] };
/** The default route comes back only after two checks. */
const cutOff: Partial<Machine> = { routes: [], later: [{}, { routes: [fallback] }] };

const restarted = (machine: Machine): void => expect(machine.notes).toContain("start AmazonSSMAgent");
const leftAlone = (machine: Machine): void =>
  expect(machine.notes.filter((note) => note.endsWith("AmazonSSMAgent"))).toEqual([]);
const agentStopped = {
  AmazonSSMAgent: service({ state: "Stopped" }),
  "Amazon EC2Launch": service({ state: "Stopped" }),
};

const agentCases: readonly MachineCase[] = [
  {
    name: "restarts an agent that was cut off during two checks",
    script: "guard",
    before: cutOff,
    exitCode: 0,
    check: restarted,
    left: kept(/"agentDue":false/),
  },
  {
    name: "does not restart an agent that executes a command, and records that its restart is due",
    script: "guard",
    before: cutOff,
    busy: true,
    exitCode: 0,
    check: leftAlone,
    left: kept(/"agentDue":true/),
  },
  {
    name: "restarts the agent in a later run when that was due",
    script: "guard",
    before: right,
    files: { [GUARD_RECORD]: record({ agentDue: true }) },
    exitCode: 0,
    check: restarted,
    left: kept(/"agentDue":false/),
  },
  {
    name: "does not restart a running agent while the metadata service answers",
    script: "guard",
    before: right,
    exitCode: 0,
    check: leftAlone,
  },
  {
    name: "starts an agent that had given up",
    script: "guard",
    before: { ...right, services: agentStopped },
    exitCode: 0,
    after: { services: { AmazonSSMAgent: { state: "Running" } } },
  },
  {
    name: "names an agent that is disabled, which Windows would not start after a boot",
    script: "guard",
    before: { routes: [fallback], services: { AmazonSSMAgent: service({ startType: "Disabled" }) } },
    exitCode: 1,
    after: { services: { AmazonSSMAgent: { state: "Running" } } },
    left: kept(/"error":"the service AmazonSSMAgent is disabled: Windows does not start it \(error 1058\)"/),
    events: [
      {
        id: 4001,
        text: "Routes changed: 6. the service AmazonSSMAgent is disabled: Windows does not start it (error 1058)",
      },
    ],
  },
  {
    name: "starts the agent although no record can be written",
    script: "guard",
    before: { routes: [fallback], services: agentStopped },
    full: true,
    exitCode: 0,
    after: { services: { AmazonSSMAgent: { state: "Running" } } },
    events: [
      { id: 4001, text: /^The record could not be written: / },
      { id: 4001, text: "Routes changed: 6. The metadata service answers." },
    ],
  },
  {
    name: "keeps the fault in its record, and writes one event about it",
    script: "guard",
    before: { routes: [] },
    arguments: { WindowSeconds: 1 },
    exitCode: 1,
    left: kept(/"error":"no default route leads to the network of this instance yet"/),
    events: [{ id: 4001, text: "Routes changed: 0. no default route leads to the network of this instance yet" }],
  },
  {
    name: "records the primary interface that the metadata service names, and counts its repairs",
    script: "guard",
    before: { routes: [fallback] },
    exitCode: 0,
    left: kept(/"mac":"02-AA-BB-CC-DD-01".*"repairs":1/),
  },
  ...["\0\0\0\0", "", '{"mac":', "[]", "7"].map(
    (damaged): MachineCase => ({
      name: `continues without a record that holds ${JSON.stringify(damaged)}`,
      script: "guard",
      before: { routes: [fallback] },
      files: { [GUARD_RECORD]: damaged },
      exitCode: 0,
      check: carries(6),
    }),
  ),
];

/** All cases of guard.ps1. */
export const guardCases: readonly MachineCase[] = [
  ...routeCases.map(
    ({ name, before, recorded, through, exitCode }): MachineCase => ({
      name,
      script: "guard",
      before,
      files: recorded === undefined ? {} : { [GUARD_RECORD]: record({ mac: recorded }) },
      arguments: { WindowSeconds: exitCode === 0 ? 30 : 1 },
      exitCode,
      check: (machine) => {
        carries(through)(machine);
        if (exitCode === 0) expect(machine.services.AmazonSSMAgent?.state).toBe("Running");
        else leftAlone(machine);
      },
      left: kept(new RegExp(`"ok":${exitCode === 0}`)),
      settles: true,
    }),
  ),
  ...agentCases,
];
