import type { Initiator } from "./boot-events.ts";
import { LEFTOVERS, ownBoots, rebootReasons } from "./fault-kinds.ts";
import type { Machine } from "./machine.ts";

/** A boot that no service asked for: who restarts Windows, or a cut of its power. */
export type Unattended = Initiator | "cut";

const causes: Readonly<Record<(typeof ownBoots)[number], Unattended>> = {
  "windows-update": "windows-update",
  person: "person",
  "power-loss": "cut",
};

/** Entries of PendingFileRenameOperations: each file with its new name, which is empty for a deletion. */
const replaced = [
  "\\??\\C:\\Program Files\\Vendor\\agent.dll.new",
  "!\\??\\C:\\Program Files\\Vendor\\agent.dll",
] as const;
const leftovers = [
  "\\??\\C:\\Windows\\Temp\\nsi1.tmp",
  "",
  "\\??\\C:\\Program Files (x86)\\Microsoft\\EdgeUpdate\\1.3.195\\goopdate.dll",
  "",
] as const;

/** Has something wait for a reboot, by the fault "reboot-pending": asked now and then, and over with the next boot. */
export function applyAwaited(machine: Machine): void {
  const { state } = machine;
  const now = state.awaited ?? [];
  const more = [...rebootReasons, LEFTOVERS].filter(
    (reason) => !now.includes(reason) && machine.faultApplies("reboot-pending", { reason }),
  );
  if (more.length === 0) return;
  state.awaited = [...now, ...more];
  state.renames = [
    ...(state.renames ?? []),
    ...(more.includes(LEFTOVERS) ? leftovers : []),
    ...(more.includes("file-renames") ? replaced : []),
  ];
  machine.save();
}

/** Finds the boot that the fault "boots-by-itself" asks for now. At night Windows Update restarts machines outside their active hours. */
export function unattendedBoot(machine: Machine): Unattended | null {
  const how = ownBoots.find((one) => machine.faultApplies("boots-by-itself", { how: one }));
  return how === undefined ? null : causes[how];
}
