import { proxyPlaces } from "./fault-kinds.ts";
import type { Machine } from "./machine.ts";
import { serviceOf } from "./services.ts";
import { agentService } from "./state.ts";

/** A proxy that exists in the network of the simulated machine. */
const VARIABLE = { name: "HTTPS_PROXY", value: "http://proxy.example.com:3128" } as const;

/**
 * The fault "aws-by-proxy": a network without a way to AWS but the proxy, which the agent reads from its service's
 * variables or the machine's (amazon-ssm-agent, agent/proxyconfig).
 */
const placeOf = (machine: Machine) => proxyPlaces.find((how) => machine.faultApplies("aws-by-proxy", { how }));

/** Does AWS answer this machine's scripts, which use no proxy? */
export const reachesAws = (machine: Machine): boolean => placeOf(machine) === undefined;

/** Sets the agent's proxy as an image or a group policy does: asked at each boot, and now and then. */
export function applyAgentProxy(machine: Machine): void {
  const place = placeOf(machine);
  const text = `${VARIABLE.name}=${VARIABLE.value}`;
  const own = serviceOf(machine, agentService)?.environment ?? [];
  if (place === "machine") machine.state.environment[VARIABLE.name] = VARIABLE.value;
  if (place === "service" && !own.includes(text)) own.push(text);
  if (place !== undefined) machine.save();
}
