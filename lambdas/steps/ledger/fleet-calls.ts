import type { FleetTroubleKind } from "../../health/fleet-trouble.ts";
import type { FleetCall } from "../../records/fleet-call.ts";
import { FLEET_CALLS, keys } from "../../records/ledger-table.ts";
import type { StepContext } from "../context.ts";
import { tableClient } from "./table.ts";

/** The calls to one kind of trouble. */
interface FleetCallItem {
  /** Null once the last call has ended. */
  readonly call: FleetCall | null;
}

/** Calls to trouble of many nodes; each kind of trouble has at most one call that has not ended. */
export const fleetCalls = (context: StepContext) => {
  const items = tableClient(context);
  const revise = async (
    kind: FleetTroubleKind,
    revision: (open: FleetCall | null) => FleetCall | null,
  ): Promise<FleetCall | null> => {
    const item = await items.revise<FleetCallItem>(keys.fleetCall(kind), (before) => ({
      call: revision(before?.call ?? null),
    }));
    return item?.call ?? null;
  };
  return {
    /** Lists the calls that have not ended. */
    open: async (): Promise<FleetCall[]> =>
      (await items.partition<FleetCallItem>(FLEET_CALLS)).flatMap(({ call }) => call ?? []),

    /**
     * Records a new call, unless one of its kind has not ended.
     * @returns the call that has not ended
     * @throws Retryable if another write came first
     */
    begin: async (call: FleetCall): Promise<FleetCall> => (await revise(call.kind, (open) => open ?? call)) ?? call,

    /** Records what became of the call that has not ended. @throws Retryable if another write came first */
    change: async (kind: FleetTroubleKind, changes: Partial<FleetCall>): Promise<void> => {
      await revise(kind, (open) => open && { ...open, ...changes });
    },

    /** Ends the call. @throws Retryable if another write came first */
    end: async (kind: FleetTroubleKind): Promise<void> => {
      await revise(kind, () => null);
    },
  };
};
