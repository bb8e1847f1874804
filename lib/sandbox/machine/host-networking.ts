import type { Answers } from "../../../lambdas/machine/questions.ts";
import type { NetworkedPod } from "../core/ports.ts";
import type { Machine } from "./machine.ts";

/** Id of the first process of HNS in a boot (chosen for the simulator: no random number, so that others stay the same). */
const FIRST_PROCESS = 2_000;

/** Name of HNS as people see it: events name services so. */
export const HNS_SHOWN = "Host Network Service";

const startOf = (machine: Machine) => ({ startedAt: machine.simulation.clock.now(), shownStart: machine.clock() });

/** Starts HNS unless it runs: with the first network, and at a boot that finds one (assumed). */
export function startHns(machine: Machine): void {
  machine.state.hns ??= { processId: FIRST_PROCESS, ...startOf(machine), isRestarted: false };
}

/** Ends HNS with the power. */
export function endHns({ state }: Machine): void {
  delete state.hns;
}

/**
 * Restarts HNS by the fault "hns-restarts": endpoints of pods that run are gone, those of the host are attached again
 * (kubernetes/kubernetes issue 139519: HNS restores from its backup; microsoft/Windows-Containers reports of pods without
 * network after it).
 */
export function applyHnsRestart(machine: Machine): void {
  const { hns } = machine.state;
  if (!hns || !machine.faultApplies("hns-restarts")) return;
  machine.state.hns = { processId: hns.processId + 4, ...startOf(machine), isRestarted: true };
  machine.log("Service Control Manager", `7031 The ${HNS_SHOWN} service terminated unexpectedly.`);
  machine.save();
}

/** Finds the time since which pods have an endpoint: that of their network, or of the last restart of HNS under it. */
export function endpointsSince({ state }: Machine): number {
  const made = state.hnsNetworks.filter((one) => !one.persistent).map(({ madeAt = 0 }) => madeAt);
  return Math.max(0, ...made, state.hns?.isRestarted ? state.hns.startedAt : 0);
}

const endpointOf = ({ name, ip }: NetworkedPod) => ({ name: `${name}_overlay`, ip, attached: false });

/** Lists all endpoints as observe.ps1 does: those of the host, and one for each pod in the network. */
export function endpointsOf(machine: Machine): NonNullable<Answers["hns"]>["endpoints"] {
  const since = endpointsSince(machine);
  const pods = machine.ports.pods?.(machine.facts().privateDnsName) ?? [];
  return [
    ...machine.state.hnsEndpoints.map(({ name, ip, attached }) => ({ name, ip, attached })),
    ...pods.filter(({ startedAt }) => startedAt >= since).map(endpointOf),
  ];
}
