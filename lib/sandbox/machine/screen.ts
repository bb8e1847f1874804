import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Machine } from "./machine.ts";

/** Pictures of what Windows shows on its console, drawn for the simulator; each is a JPEG in screens/. */
type Screen = "starting" | "restarting" | "updating" | "undoing" | "sign-in";

function shown({ state: { power, updates } }: Machine): Screen | null {
  if (power === "off") return null;
  if (power === "shutting-down") return "restarting";
  if (power === "running") return "sign-in";
  if (updates === undefined) return "starting";
  return updates === "installing" ? "updating" : "undoing";
}

/**
 * Shows the machine's console.
 * @returns a JPEG; undefined while the machine is off
 */
export function screenOf(machine: Machine): Uint8Array | undefined {
  const screen = shown(machine);
  return screen === null ? undefined : readFileSync(join(import.meta.dirname, "screens", `${screen}.jpg`));
}
