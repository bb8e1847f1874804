import type { Action } from "../../../../lambdas/machine/plan.ts";
import type { Machine } from "../machine.ts";
import type { Process } from "../process.ts";

/** Time that a step of PowerShell takes, shortest and longest, in ms (all assumed, for current instance types). */
export const CMDLET_MS = {
  registerTask: [200, 800],
  defineService: [100, 400],
  firewallRule: [300, 1_200],
  replaceFile: [20, 120],
  importCertificate: [20, 150],
} as const;

/** A run of a plan. */
export interface Applying {
  readonly machine: Machine;
  readonly process: Process;
  /** The script that applies the plan. */
  readonly text: string;
  /** Running services whose files or definition changed. */
  readonly restartDue: Set<string>;
  /** Whether something that this plan did, or found half done, needs a boot. */
  rebootDue: boolean;
}

/** Starts a run. */
export const applyingOn = ({ machine, process, text }: Pick<Applying, "machine" | "process" | "text">): Applying => ({
  machine,
  process,
  text,
  restartDue: new Set(),
  rebootDue: false,
});

/**
 * Executes actions of one kind, check-then-act.
 * @returns whether it changed anything
 * @throws Error with the machine's error message
 */
export type ActionHandler<Kind extends Action["do"]> = (
  run: Applying,
  action: Extract<Action, { do: Kind }>,
) => Promise<boolean>;
