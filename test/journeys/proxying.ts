import type { MachineState } from "../../lib/sandbox/machine/state.ts";
import { calls } from "./evidence.ts";
import { type Journey, startJourney } from "./journey.ts";
import { kubectl, type SeedNode } from "./others.ts";

const OBJECT = "/apis/config.openshift.io/v1/proxies/cluster";

/** Host of the cluster's proxy, which exists in the simulated network. */
export const PROXY = "proxy.example.com:3128";

/** Fields of the cluster's proxy. */
interface ProxyFields {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
}

const nothing = { httpProxy: null, httpsProxy: null, noProxy: null };

/** Sets the proxy as a cluster administrator does; the cluster's operator then completes the status. */
export async function setProxy(here: Journey, fields: ProxyFields): Promise<void> {
  await kubectl(here, "PATCH", OBJECT, { spec: { ...nothing, ...fields } });
  await kubectl(here, "PATCH", `${OBJECT}/status`, { status: { ...nothing, ...fields } });
}

/** Starts a cluster with nodes and with a proxy in its network. */
export async function startProxying(configuration: object = {}): Promise<Journey> {
  const here = await startJourney({ seedNodes: true, configuration });
  here.simulator.registries.proxies.declare(PROXY);
  return here;
}

/** Strings of the environment of a service, in the registry of a node's machine. */
export const writtenOn = (here: Journey, { instanceId }: SeedNode, service = "containerd"): readonly string[] =>
  here.simulator.machines.describe(instanceId)?.services.find(({ name }) => name === service)?.environment ?? [];

/** The environment of a service on a node's machine, for a person who works on it. */
export function environmentOf(here: Journey, { instanceId }: SeedNode, service = "containerd"): string[] {
  const states = here.simulator.simulation.store.collection<MachineState>("machines");
  return states.get(instanceId)?.services[service]?.environment ?? [];
}

/** Requests of machines to proxies: "CONNECT quay.io:443 200 by i-1". */
export const proxied = (here: Journey): readonly string[] => [
  ...new Set(
    calls(here, "proxy").map(
      ({ action, status, principal }) => `${action} ${status} by ${principal.replace("instance/", "")}`,
    ),
  ),
];
