import { BlockList } from "node:net";
import type { HnsNetwork } from "./hns-state.ts";
import { endHns, startHns } from "./host-networking.ts";
import type { Machine } from "./machine.ts";
import type { Adapter, Route } from "./state.ts";

/** The link-local services whose routes EC2Launch manages: metadata, DNS, time, …, Windows activation (two). */
export const linkLocalAddresses = [
  "169.254.169.254",
  "169.254.169.253",
  "169.254.169.123",
  "169.254.169.249",
  "169.254.169.250",
  "169.254.169.251",
] as const;

const METADATA = "169.254.169.254/32";
const linkLocalPrefixes: ReadonlySet<string> = new Set(linkLocalAddresses.map((address) => `${address}/32`));

const inCidr = (address: string, cidr: string): boolean => {
  const [network = "", bits = "32"] = cidr.split("/");
  const list = new BlockList();
  list.addSubnet(network, Number(bits));
  return list.check(address);
};

const adapterNamed = (machine: Machine, name: string): Adapter | undefined =>
  machine.state.adapters.find((adapter) => adapter.name === name);

/** Finds the adapter that has the instance's address. */
export const addressedAdapter = (machine: Machine): Adapter | undefined =>
  machine.state.adapters.find((adapter) => adapter.ip !== null);

/** Can packets take this route? It needs a connected adapter with a settled address and the next hop in its subnet. */
export function usable(machine: Machine, route: Route): boolean {
  const adapter = adapterNamed(machine, route.interface);
  if (!adapter?.connected || adapter.ip === null || adapter.ip.startsWith("169.254.")) return false;
  return inCidr(route.nextHop, `${adapter.ip}/${adapter.prefixLength}`);
}

/** Does a link-local address have a usable route? Windows never takes the default route for these. */
export const metadataRoute = (machine: Machine): boolean =>
  machine.state.routes.some((route) => route.prefix === METADATA && usable(machine, route));

/** Sets the routes of DHCP and of the persistent store at the start of a boot. */
export function routesAtBoot(machine: Machine): void {
  const facts = machine.facts();
  const name = addressedAdapter(machine)?.name ?? "Ethernet";
  machine.state.routes = [
    { prefix: "0.0.0.0/0", nextHop: facts.gateway, interface: name, persistent: false },
    { prefix: facts.subnetCidr, nextHop: "0.0.0.0", interface: name, persistent: false },
    ...machine.state.routes.filter((route) => route.persistent),
  ];
  machine.save();
}

/** Lists the routes to the metadata service. */
export const metadataRoutesOf = (machine: Machine): Route[] =>
  machine.state.routes.filter(({ prefix }) => prefix === METADATA);

/** Removes the routes to the metadata service, and none of the other five. */
export function removeMetadataRoutes(machine: Machine): void {
  machine.state.routes = machine.state.routes.filter(({ prefix }) => prefix !== METADATA);
  machine.save();
}

/** Puts routes to the metadata service back that were removed. */
export function addMetadataRoutes(machine: Machine, routes: readonly Route[]): void {
  machine.state.routes = [...machine.state.routes, ...routes];
  machine.save();
}

/** Removes the six routes wherever they are, from both stores. */
export function removeLinkLocalRoutes(machine: Machine): void {
  machine.state.routes = machine.state.routes.filter((route) => !linkLocalPrefixes.has(route.prefix));
  machine.save();
}

/** Adds those of the six routes that are missing on this adapter. @returns the number added */
export function addLinkLocalRoutes(machine: Machine, adapter: Adapter, nextHop: string, persistent = false): number {
  const have = machine.state.routes;
  const wanted = [...linkLocalPrefixes].map((prefix) => ({ prefix, nextHop, interface: adapter.name, persistent }));
  const missing = wanted.filter(
    (one) => !have.some((r) => r.prefix === one.prefix && r.interface === one.interface && r.nextHop === nextHop),
  );
  machine.state.routes = [...have, ...missing];
  if (missing.length > 0) machine.save();
  return missing.length;
}

/** Removes the six routes except on this adapter and gateway. @returns the number removed */
export function removeStrayRoutes(machine: Machine, adapter: Adapter, nextHop: string): number {
  const kept = machine.state.routes.filter(
    (r) => !linkLocalPrefixes.has(r.prefix) || (r.interface === adapter.name && r.nextHop === nextHop),
  );
  const removed = machine.state.routes.length - kept.length;
  machine.state.routes = kept;
  if (removed > 0) machine.save();
  return removed;
}

const VIRTUAL = "vEthernet (Ethernet)";

/** Binds the adapter to a switch, as the first external HNS network does: the address moves, static routes do not. */
function bindToSwitch(machine: Machine): void {
  const physical = addressedAdapter(machine);
  if (!physical?.physical) return;
  const virtual: Adapter = { ...physical, index: 10, name: VIRTUAL, physical: false, metric: 15 };
  physical.ip = null;
  machine.state.adapters.push(virtual);
  const learnt = machine.state.routes.filter((r) => r.prefix === "0.0.0.0/0" || r.nextHop === "0.0.0.0");
  const others = machine.state.routes.filter((r) => !learnt.includes(r));
  machine.state.routes = [...learnt.map((r) => ({ ...r, interface: VIRTUAL })), ...others];
}

/** Finds the HNS network of this name. */
export const hnsNetwork = (machine: Machine, name: string): HnsNetwork | undefined =>
  machine.state.hnsNetworks.find((network) => network.name === name);

/** Creates an HNS network; the first one takes the address from the physical adapter. */
export function createHnsNetwork(machine: Machine, name: string, subnet: string, persistent: boolean): HnsNetwork {
  startHns(machine);
  bindToSwitch(machine);
  const digits = machine.simulation.random.hex(6).toUpperCase();
  const routerMac = `00-15-5D-${digits.slice(0, 2)}-${digits.slice(2, 4)}-${digits.slice(4)}`;
  const madeAt = machine.simulation.clock.now();
  const network = { name, subnet, managementIp: machine.facts().privateIp, routerMac, persistent, madeAt };
  machine.state.hnsNetworks.push(network);
  machine.save();
  return network;
}

/** Removes an HNS network with its endpoints. */
export function removeHnsNetwork(machine: Machine, name: string): void {
  const { state } = machine;
  state.hnsNetworks = state.hnsNetworks.filter((network) => network.name !== name);
  state.hnsEndpoints = state.hnsEndpoints.filter((endpoint) => endpoint.network !== name);
  machine.save();
}

/**
 * Copies routes as hybrid-overlay does right after it creates the base network: routes of the physical adapter are
 * added again on the adapter that has its MAC now (overlay_windows.go, DuplicateIPv4Routes).
 */
export function copyRoutesToSwitch(machine: Machine): void {
  const { state } = machine;
  const virtual = adapterNamed(machine, VIRTUAL);
  const physical = state.adapters.find((adapter) => adapter.physical && adapter.mac === virtual?.mac);
  if (!virtual || !physical) return;
  const copies = state.routes
    .filter((r) => r.interface === physical.name)
    .map((r) => ({ ...r, interface: virtual.name }));
  const known = (copy: Route) => state.routes.some((r) => r.interface === copy.interface && r.prefix === copy.prefix);
  state.routes = [...state.routes, ...copies.filter((copy) => !known(copy))];
  machine.save();
}

/**
 * Applies a boot to HNS: networks that are not persistent are gone, and endpoints never are persistent ("have to be
 * cleaned up on every reboot"). With the fault "endpoints-outlive-boot" HNS keeps networks and endpoints, but the host
 * has none of their addresses.
 */
export function hnsAtBoot(machine: Machine): void {
  if (machine.faultApplies("endpoints-outlive-boot")) {
    for (const endpoint of machine.state.hnsEndpoints) endpoint.attached = false;
    endHns(machine);
    startHns(machine);
    machine.save();
    return;
  }
  machine.state.hnsNetworks = machine.state.hnsNetworks.filter((network) => network.persistent);
  machine.state.hnsEndpoints = [];
  endHns(machine);
  if (machine.state.hnsNetworks.length > 0) startHns(machine);
  machine.save();
}
