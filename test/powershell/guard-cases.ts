import { adapter, GATEWAY, MAC, type Machine, type Route, route, service } from "./stand-in.ts";

/** The addresses that EC2Launch manages, all of which a machine needs. */
export const linkLocal = [254, 253, 123, 249, 250, 251].map((last) => `169.254.169.${last}/32`);

/** One situation that a machine may wake up in, and what the guard must make of it. */
export interface GuardCase {
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

/** After the first container network: the physical adapter has lost its address to a virtual one of the same MAC. */
const bound = [adapter(6, MAC, "", { addresses: [] }), adapter(10, MAC, "10.0.0.20", { physical: false })];
const NAT = adapter(20, "00-15-5D-00-00-01", "172.20.0.1", { physical: false, metric: 1 });
const launching = { AmazonSSMAgent: service({ state: "Stopped" }), "Amazon EC2Launch": service() };
const launched = { ...launching, "Amazon EC2Launch": service({ state: "Stopped" }) };

export const guardCases: readonly GuardCase[] = [
  {
    name: "adds all six routes where none is left",
    before: { routes: [fallback] },
    through: 6,
    exitCode: 0,
  },
  {
    name: "changes nothing where all is right",
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
    name: "ignores a default route whose gateway is outside the interface's own subnet",
    before: { routes: [route("0.0.0.0/0", "10.0.9.1", 6)] },
    through: null,
    exitCode: 1,
  },
];
