import { z } from "zod";
import type { Simulation } from "../core/simulation.ts";
import type { Collection } from "../core/store.ts";
import { pageOf } from "./paging.ts";

/** State of one instance after a run of AWS-RunPatchBaseline. */
interface PatchState {
  readonly InstanceId: string;
  /** Updates that were installed and wait for a reboot. */
  readonly InstalledPendingRebootCount: number;
  readonly RebootOption: "RebootIfNeeded" | "NoReboot";
}

/** Patch Manager, as far as it can be read. */
export interface PatchStates {
  /** Reports a state, as a run on the machine does. */
  report(state: PatchState): void;
  describe(input: z.output<typeof describePatchStatesInput>): object;
}

/** Input of DescribeInstancePatchStates: lengths and ranges of the API reference. */
export const describePatchStatesInput = z.strictObject({
  InstanceIds: z.array(z.string()).max(50),
  MaxResults: z.number().int().min(10).max(100).default(50),
  NextToken: z.string().optional(),
});

/** Opens the list of states. An instance that was never scanned is not in the answer. */
export function openPatchStates(simulation: Simulation): PatchStates {
  const stored: Collection<PatchState> = simulation.store.collection("ssm-patch-states");
  const fixed = { PatchGroup: "windows", BaselineId: "pb-0c10e65780EXAMPLE", Operation: "Install" };
  return {
    report: (state) => stored.set(state.InstanceId, state),
    describe: ({ InstanceIds, MaxResults, NextToken }) => {
      const at = simulation.clock.now() / 1000;
      const own = stored.values().filter(({ InstanceId }) => InstanceIds.includes(InstanceId));
      const { items, ...next } = pageOf(own, MaxResults, NextToken);
      const times = { OperationStartTime: at, OperationEndTime: at };
      return { InstancePatchStates: items.map((state) => ({ ...fixed, ...times, ...state })), ...next };
    },
  };
}
