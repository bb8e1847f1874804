import { Retryable } from "../../errors.ts";
import { keys, SLOTS } from "../../records/ledger-table.ts";
import { ifShown } from "../client-errors.ts";
import { type StepContext, timestamp } from "../context.ts";
import { executions } from "../executions.ts";
import { judgeSlot, type PoolView, type SlotAnswer, type SlotEntry, type SlotRequest } from "./slot-rules.ts";
import { tableClient } from "./table.ts";

/** The slots of one pool. */
interface SlotsItem {
  /** Null for nodes that belong to no pool. */
  readonly pool: string | null;
  readonly entries: readonly SlotEntry[];
  /** The epoch of the last slot that was granted. */
  readonly epoch: number;
  readonly version?: number;
}

/**
 * Slots limit how many nodes of a pool are out of service together, across all executions. They do not expire: a slot
 * can only be taken over once its holder's execution has ended.
 */
export const slots = (context: StepContext) => {
  const items = tableClient(context);
  const { ending } = executions(context);

  /** Holders that run. One that Lambda refuses to show may run: its node may be out of service. */
  const living = async (entries: readonly SlotEntry[]): Promise<readonly SlotEntry[]> => {
    const endings = await Promise.all(entries.map(({ execution }) => ifShown(ending(execution), null)));
    return entries.filter((_, at) => endings[at] === null);
  };

  return {
    /**
     * Takes a slot for a node; the same owner gets the same slot again. The pool is read after its slots, and the slot
     * is written only if they are still the same, so that a node whose slot was just released is seen in its final
     * state.
     * @param readPool reads the pool from the cluster; if that fails, no slot is granted
     * @throws Retryable if another operation took or released a slot at the same time
     */
    take: async (pool: string | null, asking: SlotRequest, readPool: () => Promise<PoolView>): Promise<SlotAnswer> => {
      const before = await items.read<SlotsItem>(keys.slots(pool));
      const entries = before?.entries ?? [];
      if (entries.some(({ owner, uid }) => owner === asking.owner && uid === asking.uid)) return { granted: true };
      const first = judgeSlot(await readPool(), entries, asking);
      // Only if the slot would be refused, check whether the holders still run. A holder that has ended may have
      // cordoned its node since, so the pool is read again.
      const others = first.granted ? entries : await living(entries);
      const answer = others.length < entries.length ? judgeSlot(await readPool(), others, asking) : first;
      if (!answer.granted) return answer;
      await items.revise<SlotsItem>(keys.slots(pool), (now) => {
        if (now?.version !== before?.version) throw new Retryable("the pool's slots were changed at the same time");
        const epoch = (before?.epoch ?? 0) + 1;
        return { pool, epoch, entries: [...others, { ...asking, epoch, since: timestamp(context) }] };
      });
      return answer;
    },

    /**
     * Releases the slots of an owner in all pools; repeating it has no effect.
     * @returns true if a slot was held
     */
    release: async (owner: string): Promise<boolean> => {
      let wasHeld = false;
      for (const { pool } of await items.partition<SlotsItem>(SLOTS))
        await items.revise<SlotsItem>(keys.slots(pool), (before) => {
          const rest = (before?.entries ?? []).filter((entry) => entry.owner !== owner);
          if (!before || rest.length === before.entries.length) return null;
          wasHeld = true;
          return { ...before, entries: rest };
        });
      return wasHeld;
    },

    /** Lists the slots of a pool whose holders still run. */
    held: async (pool: string | null): Promise<readonly SlotEntry[]> =>
      living((await items.read<SlotsItem>(keys.slots(pool)))?.entries ?? []),

    /** Lists the slots whose holders' executions have ended. */
    left: async (): Promise<SlotEntry[]> => {
      const all = (await items.partition<SlotsItem>(SLOTS)).flatMap(({ entries }) => entries);
      const alive = await living(all);
      return all.filter((entry) => !alive.includes(entry));
    },
  };
};
