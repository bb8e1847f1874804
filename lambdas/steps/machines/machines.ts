import type { DeadCard, ProbedNode } from "../../health/probed-node.ts";
import type { Assistance } from "../../machine/assistance.ts";
import { EXPIRES, type Key, keys, MACHINES } from "../../records/ledger-table.ts";
import { type Expiry, listsOf, type MachineRecord } from "../../records/machine-record.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "../ledger/retention.ts";
import { tableClient } from "../ledger/table.ts";
import { fileLists } from "./file-lists.ts";
import { given } from "./given.ts";
import { machineAttribute } from "./machine-attribute.ts";
import { seen } from "./seen.ts";

/**
 * Days for which a result is stored: it is valid for two, and shows for a week more how long the node was not probed.
 */
const PROBED_DAYS = 9;

/** The newest scheduled probe of each node. */
function probed(context: StepContext) {
  const attribute = machineAttribute(context, "probed", PROBED_DAYS);
  return {
    /** Lists the nodes that were probed in the last days. */
    all: async (): Promise<ProbedNode[]> => [...(await attribute.all()).values()],

    /** The newest probe of the node on an instance. */
    of: attribute.of,

    /**
     * Records a result; a node that fails again keeps its posted card.
     * @returns the current probe
     * @throws Retryable if another tick wrote at the same time
     */
    note: (result: Omit<ProbedNode, "card">): Promise<ProbedNode | undefined> =>
      attribute.revise(result.instanceId, (before) => {
        const isSame = before?.uid === result.uid && result.result.state === "fails";
        return { ...result, ...(isSame && before.card ? { card: before.card } : {}) };
      }),

    /** Records the posted message about a node's failure. */
    noteCard: async (instanceId: string, card: DeadCard): Promise<void> => {
      await attribute.revise(instanceId, (before) => (before ? { ...before, card } : null));
    },
  };
}

/** The approvals by which machines of other owners are assisted. */
function assistance(context: StepContext) {
  const attribute = machineAttribute(context, "assistance");
  return {
    /** Lists all of them. */
    all: async (): Promise<Assistance[]> => [...(await attribute.all()).values()],

    /** The approval for a machine; undefined if there is none. */
    of: attribute.of,

    /** Records an approval, replacing another one of the same machine. */
    write: async (approval: Assistance): Promise<void> => {
      await attribute.revise(approval.instanceId, () => approval);
    },

    /** Ends the assistance of a machine, whoever requested it. */
    end: attribute.end,
  };
}

/** The records of machines: one per machine, of which each concern writes its own attribute. */
export const machines = (context: StepContext) => ({
  seen: seen(context),
  probed: probed(context),
  given: given(context),
  assistance: assistance(context),

  /**
   * Lets the records of terminated machines expire as operations do, and removes the expiry of existing machines'
   * records: a machine that was missing from one listing by mistake keeps its record after the next listing. The lists
   * of files that no record names expire too.
   * @param isGone true for the id of an instance that no longer exists
   */
  keepWhileMachinesLive: async (isGone: (instanceId: string) => boolean): Promise<void> => {
    const items = tableClient(context);
    const expiry: Expiry = { [EXPIRES]: expiryAfter(timestamp(context), context.settings.retentionDays) };
    // The last release's items of these two attributes do not expire by themselves.
    await machineAttribute(context, "given").moveOld(expiry);
    await machineAttribute(context, "assistance").moveOld(expiry);
    const records = await items.partition<Key & Expiry & MachineRecord>(MACHINES);
    for (const { sk, ...record } of records) {
      const isExpiring = record[EXPIRES] !== undefined;
      if (isGone(sk) && !isExpiring) await items.change(keys.machineRecord(sk), expiry);
      if (!isGone(sk) && isExpiring) await items.change(keys.machineRecord(sk), {}, [EXPIRES]);
    }
    const living = records.filter(({ sk }) => !isGone(sk));
    await fileLists(context).keepWhileUsed(new Set(living.flatMap((record) => listsOf(record.given?.value ?? {}))));
  },
});
