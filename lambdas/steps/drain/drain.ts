import { unansweredDrain } from "../../messages/node/drain.ts";
import { ifPresent, isBusy, isRefusedByRbac, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { pause as wait } from "../patience.ts";
import { drainReads } from "./drain-reads.ts";
import type { DrainOptions } from "./filters.ts";
import type { DrainEnd, DrainOrder } from "./order.ts";
import { podName } from "./pods.ts";
import { ROUND_MS, type RoundResult, rounds } from "./round.ts";
import { type DrainState, newDrain } from "./schedule.ts";

/** Result of one poll of a drain. It is small, because each one is stored. */
export interface Tick {
  readonly state: DrainState;
  readonly end: DrainEnd | null;
  /** Words that follow "waiting for". */
  readonly waitsFor: string;
  /** Seconds until the next poll is useful; null if nothing moves, so that the caller may poll less often. */
  readonly againIn: number | null;
}

/** Milliseconds in which a poll begins rounds; with the last answers it ends well within an invocation's 300 s. */
const TICK_MS = 20_000;

/** Milliseconds without progress after which each poll has only one round. */
const QUIET_MS = 60_000;

/** Longest pause between polls in seconds; a poll notices a cancellation. */
const LONGEST_AGAIN = 15;

/** Drains a node, poll by poll. */
export const drain = (context: StepContext) => {
  const { core } = context.clients.kubernetes;
  const reads = drainReads(context);
  const { play } = rounds(context);
  const { pause = wait } = context;

  /** Reads the Node again: the drain ends if a person has deleted it or made it schedulable. */
  const endOfNode = async (node: DrainOrder["node"]): Promise<DrainEnd | null> => {
    const now = await ifPresent(core.readNode({ name: node.name }));
    if (now?.metadata?.uid !== node.uid) return { kind: "node-gone" };
    return now.spec?.unschedulable === true ? null : { kind: "uncordoned" };
  };

  /**
   * Plays a round. If the server is busy or has just started, the poll keeps the state and goes on; in the first round of a poll, the
   * error is thrown.
   */
  const played = async (
    order: DrainOrder,
    state: DrainState,
    until: number,
    isFirst: boolean,
  ): Promise<RoundResult> => {
    try {
      return await play(order, state, until);
    } catch (error) {
      if (isFirst || !(isBusy(error) || isRefusedByRbac(error))) throw error;
      return { state, end: null, waitsFor: unansweredDrain(wordsOf(error)), nextAt: context.now() + ROUND_MS };
    }
  };

  const againIn = ({ state, nextAt }: RoundResult): number | null => {
    const now = context.now();
    if (now - (state.movedAt ?? now) >= QUIET_MS && nextAt <= now + ROUND_MS) return null;
    return Math.min(LONGEST_AGAIN, Math.max(1, Math.ceil((nextAt - now) / 1_000)));
  };

  const playWhileTime = async (order: DrainOrder, before: DrainState): Promise<RoundResult> => {
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
     * Polls a drain once: lists the node's pods every 1.5 s and evicts those whose turn it is, for at most 20 s, or for
     * one round if nothing moved for a minute. A poll may be repeated after a crash: it evicts no pod that is already
     * terminating.
     * @param before the state that the last poll returned; null for the first
     * @throws Refused if the lease is no longer held; a busy server's error if nothing could be read
     */
    tick: async (order: DrainOrder, before: DrainState | null): Promise<Tick> => {
      const state = before ?? newDrain;
      const gone = await endOfNode(order.node);
      if (gone) return { state, end: gone, waitsFor: "", againIn: null };
      const last = await playWhileTime(order, state);
      // The deadline passed during this poll: one more round reads the remaining pods for the report.
      const isLate = last.end === null && context.now() >= order.deadline;
      const end = isLate ? await played(order, last.state, order.deadline, false) : last;
      return { state: end.state, end: end.end, waitsFor: end.waitsFor, againIn: againIn(end) };
    },

    /**
     * Checks that a drained node is still cordoned and has no pods to evict.
     * @returns "uncordoned", the names of pods that have arrived, or null if the Node is gone
     */
    check: async (
      node: DrainOrder["node"],
      options: DrainOptions,
    ): Promise<"uncordoned" | readonly string[] | null> => {
      const gone = await endOfNode(node);
      if (gone) return gone.kind === "uncordoned" ? "uncordoned" : null;
      const { evict } = await reads.pods(node.name, options, newDrain);
      return evict.map(podName);
    },
  };
};
