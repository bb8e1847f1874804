import type { FailureReason } from "../records/failures.ts";

/** Outcome of one machine, small enough for an execution to keep hundreds of them. */
export type FleetOutcome<T> =
  | { readonly instanceId: string; readonly state: "done"; readonly value: T }
  | ({
      readonly instanceId: string;
      readonly state: "failed";
      /** SSM lost the result, and the machine may have run the script. */
      readonly isUnsure?: true;
    } & FailureReason);

/** Most characters of a failure: the failures of fifty machines are one result of the execution. */
const MOST_WORDS = 1_000;

/** Outcome of a machine that was not changed. */
export const failedMachine = (instanceId: string, { why, code }: FailureReason) =>
  ({ instanceId, state: "failed", why: why.slice(0, MOST_WORDS), ...(code === undefined ? {} : { code }) }) as const;

/** Failure of a machine of which SSM has heard nothing, or no result: it may have run the script. */
export const unsureMachine = (instanceId: string, reason: FailureReason) =>
  ({ ...failedMachine(instanceId, reason), isUnsure: true }) as const;

/** Gives each of these machines the same failure. */
export const allFailed = (instanceIds: readonly string[], reason: FailureReason) =>
  instanceIds.map((instanceId) => failedMachine(instanceId, reason));
