import type { Action } from "../../../../lambdas/desired/plan.ts";
import type { Machine } from "../machine.ts";
import type { Process } from "../process.ts";

/**
 * Time that a step of PowerShell takes, shortest and longest, in ms: all assumed, from such cmdlets on current instance
 * types.
 */
export const CMDLET_MS = {
  registerTask: [200, 800],
  defineService: [100, 400],
  firewallRule: [300, 1_200],
  replaceFile: [20, 120],
} as const;

/** One run of a plan. */
export interface Applying {
  readonly machine: Machine;
  readonly process: Process;
  /** The script that applies the plan. */
  readonly text: string;
  /** Running services whose files or definition changed. */
  readonly restartDue: Set<string>;
  /** Something that this plan did, or found half done, waits for a boot. */
  rebootDue: boolean;
}

/** Begins a run. */
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
 * @throws Error in the machine's words
 */
export type Doer<Kind extends Action["do"]> = (
  run: Applying,
  action: Extract<Action, { do: Kind }>,
) => Promise<boolean>;
