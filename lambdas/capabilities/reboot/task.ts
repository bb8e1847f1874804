import type { EmptyingTask } from "../../change/emptying/emptying-task.ts";
import type { BootBefore } from "../../health/facts.ts";

/** A reboot in progress. */
export interface RebootTask extends EmptyingTask {
  /** The boot before the reboot; null until the machine is ordered to reboot. */
  before: BootBefore | null;
  /** EC2 reboots the machine, because it takes no SSM command. */
  readonly isThroughEc2: boolean;
  /** State of the node at the end, as a clause; null until its cordon is released. */
  left: string | null;
}

/** Initial values of a reboot's task. */
export const unproven = { before: null, left: null } as const;
