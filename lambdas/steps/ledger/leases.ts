import { Refused } from "../../errors.ts";
import { EXPIRES, keys } from "../../records/ledger-table.ts";
import { workOf } from "../../records/node-work.ts";
import { type StepContext, timestamp } from "../context.ts";
import { expiryAfter } from "./retention.ts";
import { tableClient } from "./table.ts";

/** The right to change one machine. The epoch rises with every owner, so that an outdated owner is noticed. */
export interface Lease {
  readonly instanceId: string;
  /** The owner's name, built by `workOwner`. */
  readonly owner: string;
  readonly epoch: number;
}

interface LeaseItem extends Lease {
  readonly held: boolean;
  readonly since: string;
}

const same = (item: LeaseItem | undefined, lease: Lease): boolean =>
  item?.held === true && item.owner === lease.owner && item.epoch === lease.epoch;

/** Gives each machine at most one owner, across all executions. */
export const leases = (context: StepContext) => {
  const items = tableClient(context);
  /** A free lease expires as operations do; the next owner writes an item without an expiry. */
  const free = (item: LeaseItem) => {
    const expires = expiryAfter(timestamp(context), context.settings.retentionDays);
    return { ...item, held: false, [EXPIRES]: expires };
  };
  const read = (instanceId: string) => items.read<LeaseItem>(keys.lease(instanceId));

  return {
    /**
     * Takes the lease of a machine; the same owner gets the same lease again.
     * @throws Refused that names the operation which holds it
     */
    take: async (instanceId: string, owner: string): Promise<Lease> => {
      const taken = await items.revise<LeaseItem>(keys.lease(instanceId), (before) => {
        if (before?.held && before.owner === owner) return null;
        if (before?.held)
          throw new Refused(`${instanceId} belongs to the running operation ${workOf(before.owner).operation}`);
        return { instanceId, owner, epoch: (before?.epoch ?? 0) + 1, held: true, since: timestamp(context) };
      });
      return { instanceId, owner, epoch: taken?.epoch ?? 0 };
    },

    /**
     * Stops an operation that has lost its lease; called before every command, eviction, reboot and terminate.
     * @throws Refused if the operation no longer holds the lease
     */
    check: async (lease: Lease): Promise<void> => {
      if (!same(await read(lease.instanceId), lease)) {
        throw new Refused(`the lease on ${lease.instanceId} is no longer held by ${lease.owner}`);
      }
    },

    /** The operation that works on a machine; undefined if there is none. */
    holder: async (instanceId: string): Promise<string | undefined> => {
      const item = await read(instanceId);
      return item?.held ? workOf(item.owner).operation : undefined;
    },

    /**
     * Releases the lease of a lost execution, whatever its epoch; another owner's lease stays.
     * @returns true if it was held
     */
    releaseOwned: async (instanceId: string, owner: string): Promise<boolean> => {
      let wasHeld = false;
      await items.revise<LeaseItem>(keys.lease(instanceId), (before) => {
        wasHeld = before?.held === true && before.owner === owner;
        return before && wasHeld ? free(before) : null;
      });
      return wasHeld;
    },

    /** Releases the machine's lease; another operation's lease stays. */
    release: async (lease: Lease): Promise<void> => {
      await items.revise<LeaseItem>(keys.lease(lease.instanceId), (before) =>
        before && same(before, lease) ? free(before) : null,
      );
    },
  };
};
