import type { ApplyResult, Operation } from "../../../lambdas/desired/plan.ts";
import type { Machine } from "./machine.ts";
import { addLinkLocalRoutes, addressedAdapter } from "./network.ts";
import { applyingOn } from "./operations/applying.ts";
import { beginRunning } from "./power.ts";
import { newProcess } from "./process.ts";
import { applyAll } from "./scripts/apply.ts";
import { startService } from "./services.ts";
import { agentService } from "./state.ts";

/** Operations that make a machine be there from the start: everything that provisioning would have done to it. */
export interface Seed {
  readonly operations: readonly Operation[];
}

/** The boots that such a machine has behind it are skipped: features are there, routes too. */
function skipBoots(machine: Machine, { operations }: Seed): void {
  for (const operation of operations) {
    if (operation.do === "feature") machine.state.features.push({ name: operation.name, state: "Installed" });
  }
  beginRunning(machine);
  const adapter = addressedAdapter(machine);
  if (adapter) addLinkLocalRoutes(machine, adapter, machine.facts().gateway);
}

/**
 * Makes a machine run as if it had been provisioned long ago: no durations, but every check. Its programs then live on
 * the clock, so its kubelet joins by itself as soon as somebody approves its requests.
 * @returns how the operations ended; waits as long as a task among them waits
 */
export async function seedMachine(machine: Machine, seed: Seed): Promise<ApplyResult> {
  machine.hurry(true);
  try {
    skipBoots(machine, seed);
    await startService(machine, agentService);
    return await applyAll(applyingOn({ machine, process: newProcess(machine.foundation), text: "" }), seed.operations);
  } finally {
    machine.hurry(false);
  }
}
