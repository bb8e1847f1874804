import type { Machine } from "./machine.ts";

/**
 * Shortest and longest time, in milliseconds, for which Windows works on updates before a boot goes on (assumed; people who patch
 * node groups allow an hour for it).
 */
const TAKES: readonly [low: number, high: number] = [10 * 60_000, 30 * 60_000];

/**
 * Has a boot work on updates, by the fault "updates-at-boot". After a reset in the middle, Windows undoes what it had begun, which
 * takes as long (Microsoft Learn, "Windows Update troubleshooting": "Undoing changes made to your computer").
 * @returns milliseconds by which the boot takes longer
 */
export function updatesAtBoot(machine: Machine): number {
  const { state } = machine;
  if (state.updates !== undefined && state.wasCut) state.updates = "undoing";
  else if (machine.faultApplies("updates-at-boot")) state.updates = "installing";
  else delete state.updates;
  return state.updates === undefined ? 0 : machine.duration(...TAKES);
}
