import type { EmptyingTask } from "../../change/emptying/emptying-task.ts";
import type { BootBefore } from "../../health/facts.ts";
import type { Processes } from "./processes.ts";

/** A reboot in progress, or a restart of services. */
export interface RebootTask extends EmptyingTask {
  /** The boot before the reboot; null until the machine is ordered to reboot. */
  before: BootBefore | null;
  /** Processes of the services before their restart; null until the restart is ordered. */
  processes: Processes | null;
  /** Id of the probe whose pod was started before the restart; null without one. */
  witness: string | null;
  /** EC2 reboots the machine, because it takes no SSM command. */
  readonly isThroughEc2: boolean;
  /** State of the node at the end, as a clause; null until its cordon is released. */
  left: string | null;
}

/** Initial values of a reboot's task. */
export const unproven = { before: null, processes: null, witness: null, left: null } as const;

/** Initial values of work that evicts no pod. */
export const EVICTS_NOTHING = {
  options: { force: false, deleteEmptyDir: false, graceSeconds: null, skipAfterSeconds: 0 },
  ...{ pods: 0, isTouched: false, isThroughEc2: false },
} as const;
