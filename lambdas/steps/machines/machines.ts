import type { DeadCard, ProbedNode } from "../../health/probed-node.ts";
import type { Assistance } from "../../machine/assistance.ts";
import { EXPIRES, type Key, keys, MACHINES } from "../../records/ledger-table.ts";
import type { Expiry, InputValues } from "../../records/machine-record.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "../ledger/retention.ts";
import { tableClient } from "../ledger/table.ts";
import { machinePart } from "./machine-part.ts";
import { seen } from "./seen.ts";

/** A result is good for two days; a week more shows how long a node was not probed. */
const PROBED_DAYS = 9;

/** The newest scheduled probe of each node. */
function probed(context: StepContext) {
  const part = machinePart(context, "probed", PROBED_DAYS);
  return {
    /** Every node that was probed lately. */
    all: async (): Promise<ProbedNode[]> => [...(await part.all()).values()],

    /** The newest probe of the node on an instance. */
    of: part.of,

    /**
     * Writes a result down; a node that fails again keeps the card that tells of it.
     * @returns the probe as it is now
     * @throws Retryable when another tick wrote at the same moment
     */
    note: (result: Omit<ProbedNode, "card">): Promise<ProbedNode | undefined> =>
      part.revise(result.instanceId, (before) => {
        const isSame = before?.uid === result.uid && result.result.state === "fails";
        return { ...result, ...(isSame && before.card ? { card: before.card } : {}) };
      }),

    /** Writes down the message that shows a node's failure. */
    noteCard: async (instanceId: string, card: DeadCard): Promise<void> => {
      await part.revise(instanceId, (before) => (before ? { ...before, card } : null));
    },
  };
}

/** Inputs that machines were given. */
function given(context: StepContext) {
  const part = machinePart(context, "given");
  return {
    /** Of every machine, by instance id. */
    all: part.all,

    /** Writes down an input that a machine was given; its other inputs stay. */
    record: async <Name extends keyof InputValues>(
      instanceId: string,
      owner: string,
      input: Name,
      value: InputValues[Name],
    ): Promise<void> => {
      const at = timestamp(context);
      await part.revise(instanceId, (before) => ({ ...before, [input]: { ...value, owner, at } }));
    },
  };
}

/** The approvals by which machines of other owners are assisted. */
function assistance(context: StepContext) {
  const part = machinePart(context, "assistance");
  return {
    /** Every one in the ledger. */
    all: async (): Promise<Assistance[]> => [...(await part.all()).values()],

    /** The one of a machine; undefined where there is none. */
    of: part.of,

    /** Writes one down; another one of the same machine is replaced. */
    write: async (approval: Assistance): Promise<void> => {
      await part.revise(approval.instanceId, () => approval);
    },

    /** Ends the assistance of a machine, whoever had asked for it. */
    end: part.end,
  };
}

/** The ledger's memory of each machine: one record, of which each concern writes its own part. */
export const machines = (context: StepContext) => ({
  seen: seen(context),
  probed: probed(context),
  given: given(context),
  assistance: assistance(context),

  /**
   * Lets the records of machines that are gone expire as operations do, and takes the expiry from those of machines that
   * live. A machine that is missing from one listing by mistake gets its record back with the next one.
   * @param isGone of an instance, by its id
   */
  keepWhileMachinesLive: async (isGone: (instanceId: string) => boolean): Promise<void> => {
    const items = tableClient(context);
    const expiry: Expiry = { [EXPIRES]: expiryAfter(timestamp(context), context.settings.retentionDays) };
    // The last release's items of these two parts do not expire by themselves.
    await machinePart(context, "given").moveOld(expiry);
    await machinePart(context, "assistance").moveOld(expiry);
    for (const { sk, ...record } of await items.partition<Key & Expiry>(MACHINES)) {
      const isExpiring = record[EXPIRES] !== undefined;
      if (isGone(sk) && !isExpiring) await items.change(keys.machineRecord(sk), expiry);
      if (!isGone(sk) && isExpiring) await items.change(keys.machineRecord(sk), {}, [EXPIRES]);
    }
  },
});
