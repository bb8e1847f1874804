import { guardFile } from "../../../lambdas/machine/machine-paths.ts";
import { guardLosses } from "./fault-kinds.ts";
import type { Machine } from "./machine.ts";
import { removeTask } from "./tasks.ts";

const GUARD_TASK = "Casement guard";

/** Applies the fault "guard-lost" to a running machine: asked now and then. */
export function applyGuardLoss(machine: Machine): void {
  const text = machine.disk.text(guardFile);
  if (text === undefined) return;
  const how = guardLosses.find((one) => machine.faultApplies("guard-lost", { how: one }));
  if (how === "altered") machine.disk.write(guardFile, Buffer.from(`${text}\r\n# changed by hand\r\n`));
  if (how !== "removed") return;
  machine.disk.remove(guardFile);
  removeTask(machine, GUARD_TASK);
}
