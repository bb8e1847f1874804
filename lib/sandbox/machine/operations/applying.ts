import type { Machine } from "../machine.ts";
import type { Process } from "../process.ts";

/** One run of a plan. */
export interface Applying {
  readonly machine: Machine;
  readonly process: Process;
  /** Running services whose files or definition changed. */
  readonly restartDue: Set<string>;
}

/** Executes one operation, check-then-act. @returns whether it changed anything @throws Error in the machine's words */
export type Doer<T> = (run: Applying, operation: T) => Promise<boolean>;
