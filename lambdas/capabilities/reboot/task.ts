import type { EmptyingTask } from "../../change/emptying/emptying-task.ts";
import type { BootBefore } from "../../health/facts.ts";

/** A reboot under way. */
export interface RebootTask extends EmptyingTask {
  /** The boot that must be over; null before the machine was rebooted. */
  before: BootBefore | null;
  /** The machine takes no command: EC2 reboots it. */
  readonly isThroughEc2: boolean;
  /** State of the node at the end, as a clause; null while it is not given back. */
  left: string | null;
}

/** Values with which the task of a reboot begins. */
export const unproven = { before: null, left: null } as const;
