import type { Action, ApplyResult } from "../../../lambdas/machine/plan.ts";
import { applyingOn } from "./actions/applying.ts";
import type { Machine } from "./machine.ts";
import { addLinkLocalRoutes, addressedAdapter } from "./network.ts";
import { beginRunning } from "./power.ts";
import { newProcess } from "./process.ts";
import { applyAll } from "./scripts/apply.ts";
import { startService } from "./services.ts";
import { agentService, launchService } from "./state.ts";

/** Actions that seed a machine: everything that provisioning would have done to it. */
export interface Seed {
  readonly actions: readonly Action[];
}

/** Skips the boots that a seeded machine would have behind it: features and routes are there. */
function skipBoots(machine: Machine, { actions }: Seed): void {
  for (const action of actions) {
    if (action.do === "feature") machine.state.features.push({ name: action.name, state: "Installed" });
  }
  beginRunning(machine);
  const adapter = addressedAdapter(machine);
  if (adapter) addLinkLocalRoutes(machine, adapter, machine.facts().gateway);
}

/** Services that a boot starts first: they need no other. EC2Launch has done its work long ago. */
const independent = ({ state }: Machine): string[] =>
  Object.values(state.services)
    .filter(
      ({ name, startType, dependsOn }) => startType === "Automatic" && dependsOn.length === 0 && name !== launchService,
    )
    .map(({ name }) => name);

/**
 * Makes a machine run as if it had been provisioned long ago: every check, but no durations. Its programs then run on
 * the clock, so its kubelet joins as soon as its certificate requests are approved.
 * @returns the actions' results; takes as long as a task among them takes
 */
export async function seedMachine(machine: Machine, seed: Seed): Promise<ApplyResult> {
  machine.skipDelays(true);
  try {
    skipBoots(machine, seed);
    await startService(machine, agentService);
    for (const name of independent(machine)) await startService(machine, name);
    return await applyAll(applyingOn({ machine, process: newProcess(machine.simulation), text: "" }), seed.actions);
  } finally {
    machine.skipDelays(false);
  }
}
