import { unansweredDrain } from "../../messages/node/drain.ts";
import { ifPresent, isBusy, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import type { DrainOptions } from "./filters.ts";
import { looking } from "./look.ts";
import type { DrainEnd, DrainOrder } from "./order.ts";
import { podName } from "./pods.ts";
import { type Played, ROUND_MS, rounds } from "./round.ts";
import { type DrainState, newDrain } from "./schedule.ts";

/** Result of a poll of a drain: small, because each one is stored. */
export interface Tick {
  readonly state: DrainState;
  readonly end: DrainEnd | null;
  /** As it follows "waiting for". */
  readonly waitsFor: string;
  /** Seconds until the next poll is worth while; null where nothing moves, and the wait may slow down. */
  readonly againIn: number | null;
}

/** Milliseconds in which a tick begins rounds: with the last answers it ends well within an invocation's 300 s. */
const TICK_MS = 20_000;

/** Milliseconds after which a drain in which nothing moves is looked at once a poll only. */
const QUIET_MS = 60_000;

/** Seconds to the next poll at most: a cancellation is heard there. */
const LONGEST_AGAIN = 15;

/** Draining a node: one poll at a time. */
export const drain = (context: StepContext) => {
  const { core } = context.clients.kubernetes;
  const look = looking(context);
  const { play } = rounds(context);
  const pause = context.pause ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));

  /** The Node is read again: whoever deletes it ends the drain, and so does whoever makes it schedulable. */
  const endOfNode = async (node: DrainOrder["node"]): Promise<DrainEnd | null> => {
    const now = await ifPresent(core.readNode({ name: node.name }));
    if (now?.metadata?.uid !== node.uid) return { kind: "node-gone" };
    return now.spec?.unschedulable === true ? null : { kind: "uncordoned" };
  };

  /** A server that is away for a while takes nothing from what is known; at the first round nothing is known yet. */
  const played = async (order: DrainOrder, state: DrainState, until: number, isFirst: boolean): Promise<Played> => {
    try {
      return await play(order, state, until);
    } catch (error) {
      if (isFirst || !isBusy(error)) throw error;
      return { state, end: null, waitsFor: unansweredDrain(wordsOf(error)), nextAt: context.now() + ROUND_MS };
    }
  };

  const againIn = ({ state, nextAt }: Played): number | null => {
    const now = context.now();
    if (now - (state.movedAt ?? now) >= QUIET_MS && nextAt <= now + ROUND_MS) return null;
    return Math.min(LONGEST_AGAIN, Math.max(1, Math.ceil((nextAt - now) / 1_000)));
  };

  const playWhileTime = async (order: DrainOrder, before: DrainState): Promise<Played> => {
    const until = Math.min(context.now() + TICK_MS, order.deadline);
    let last = await played(order, before, until, true);
    for (;;) {
      const now = context.now();
      const next = Math.max(last.nextAt, now + ROUND_MS);
      if (last.end !== null || againIn(last) === null || next >= until || !(await order.mayGoOn())) return last;
      await pause(next - now);
      last = await played(order, last.state, until, false);
    }
  };

  return {
    /**
     * Polls a drain once: lists the node's pods every 1.5 s and asks those to leave whose turn it is, for 20 s at most, or
     * once where nothing moved for a minute. A poll that is repeated after a crash does no harm: pods that were told to end
     * are not told again.
     * @param before the state that the last poll left; null at the first
     * @throws Refused when the lease is not held any more; a busy server's error when nothing could be read at all
     */
    tick: async (order: DrainOrder, before: DrainState | null): Promise<Tick> => {
      const state = before ?? newDrain;
      const gone = await endOfNode(order.node);
      if (gone) return { state, end: gone, waitsFor: "", againIn: null };
      const last = await playWhileTime(order, state);
      // The time ran out under way: what is left is looked at once more, for the report.
      const isLate = last.end === null && context.now() >= order.deadline;
      const end = isLate ? await played(order, last.state, order.deadline, false) : last;
      return { state: end.state, end: end.end, waitsFor: end.waitsFor, againIn: againIn(end) };
    },

    /**
     * Looks whether a drained node still is: cordoned, and without pods to evict.
     * @returns "uncordoned", the names of pods that came, or null when the Node is gone
     */
    check: async (
      node: DrainOrder["node"],
      options: DrainOptions,
    ): Promise<"uncordoned" | readonly string[] | null> => {
      const gone = await endOfNode(node);
      if (gone) return gone.kind === "uncordoned" ? "uncordoned" : null;
      const { evict } = await look.pods(node.name, options, newDrain);
      return evict.map(podName);
    },
  };
};
