import { Retryable } from "../../errors.ts";
import { keys, SLOTS } from "../../ledger-table.ts";
import { type StepContext, timestamp } from "../context.ts";
import { executions } from "../executions.ts";
import { type Asking, judgeSlot, type PoolView, type SlotAnswer, type SlotEntry } from "./slot-rules.ts";
import { table } from "./table.ts";

/** The slots of one pool. */
interface SlotsItem {
  /** Null: the nodes of no pool. */
  readonly pool: string | null;
  readonly entries: readonly SlotEntry[];
  /** The epoch of the slot that was granted last. */
  readonly epoch: number;
  readonly version?: number;
}

/**
 * Slots bound how many nodes of a pool are away at once, across all executions. They do not expire: one is taken over only
 * when the execution of its holder has ended.
 */
export const slots = (context: StepContext) => {
  const items = table(context);
  const { ending } = executions(context);

  const living = async (entries: readonly SlotEntry[]): Promise<readonly SlotEntry[]> => {
    const endings = await Promise.all(entries.map(({ execution }) => ending(execution)));
    return entries.filter((_, at) => endings[at] === null);
  };

  return {
    /**
     * Takes a slot for a node; the same owner gets the same slot again. The pool is looked at after its slots were read, and
     * the slot is written only if they have not changed since: a node whose slot was given back is then seen as it was left.
     * @param look reads the pool from the cluster; if that fails no slot is granted
     * @throws Retryable when another operation took or gave back a slot at the same moment
     */
    take: async (pool: string | null, asking: Asking, look: () => Promise<PoolView>): Promise<SlotAnswer> => {
      const before = await items.read<SlotsItem>(keys.slots(pool));
      const entries = before?.entries ?? [];
      if (entries.some(({ owner, uid }) => owner === asking.owner && uid === asking.uid)) return { granted: true };
      const first = judgeSlot(await look(), entries, asking);
      // Only who would have to wait asks whether the holders still run. One that has ended may have cordoned its node since.
      const others = first.granted ? entries : await living(entries);
      const answer = others.length < entries.length ? judgeSlot(await look(), others, asking) : first;
      if (!answer.granted) return answer;
      await items.revise<SlotsItem>(keys.slots(pool), (now) => {
        if (now?.version !== before?.version) throw new Retryable("the pool's slots were changed at the same time");
        const epoch = (before?.epoch ?? 0) + 1;
        return { pool, epoch, entries: [...others, { ...asking, epoch, since: timestamp(context) }] };
      });
      return answer;
    },

    /**
     * Gives back the slots of an owner, whatever the pool; doing it twice does nothing.
     * @returns whether one was held
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

    /** Slots whose holder's execution has ended. */
    left: async (): Promise<SlotEntry[]> => {
      const all = (await items.partition<SlotsItem>(SLOTS)).flatMap(({ entries }) => entries);
      const alive = await living(all);
      return all.filter((entry) => !alive.includes(entry));
    },
  };
};
