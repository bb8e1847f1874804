import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import { connectionsToEnd, drainWaits, latePods, volumesToDetach } from "../../messages/node/drain.ts";
import type { StepContext } from "../context.ts";
import { asking } from "./ask.ts";
import { drainReads, type PodsSeen } from "./drain-reads.ts";
import type { Remark } from "./filters.ts";
import type { DrainEnd, DrainOrder } from "./order.ts";
import { isTerminating, podName, uidOf } from "./pods.ts";
import { holdUpsOf } from "./report.ts";
import {
  type DrainState,
  type EvictionAnswer,
  nextRound,
  type Round,
  recordAnswers,
  type WaitingPod,
} from "./schedule.ts";

/** Milliseconds between two lists. kubectl polls every second, but each pod separately (`npm run bench` compares). */
export const ROUND_MS = 1_500;

/**
 * Milliseconds for which an emptied node is watched, because a pod that was bound before the cordon may still arrive
 * (Karpenter: 5 s).
 */
const EMPTY_MS = 5_000;

/**
 * Time until which an emptied node is watched for late pods: at the drain's deadline it is empty enough.
 * @param emptySince milliseconds since the epoch, as the deadline and the result
 */
export const watchedUntil = (emptySince: number, deadline: number): number => Math.min(emptySince + EMPTY_MS, deadline);

/** Milliseconds between two lists of all volume attachments of the cluster. */
const VOLUMES_MS = 5_000;

/** Longest wait for volumes in milliseconds: the attach/detach controller detaches by force after six minutes. */
const DETACHED_WITHIN_MS = 7 * 60_000;

/** Result of one round. */
export interface RoundResult {
  readonly state: DrainState;
  readonly end: DrainEnd | null;
  /** Words that follow "waiting for". */
  readonly waitsFor: string;
  /** Milliseconds since the epoch from which on another round is useful. */
  readonly nextAt: number;
}

/**
 * Computes a number from 0 to 1 from a pod's UID: different for each pod, but always the same for one, so that tests
 * are repeatable.
 */
function jitterOf(uid: string): number {
  let hash = 2_166_136_261;
  for (let index = 0; index < uid.length; index += 1) hash = Math.imul(hash ^ uid.charCodeAt(index), 16_777_619) >>> 0;
  return hash / 2 ** 32;
}

/**
 * Lists the pods that are still on the node, with the reason: a pod that was evicted has its last refusal as reason, or
 * waits for its turn.
 */
const stillThere = ({ ask, waiting }: Round, { refused }: DrainState): WaitingPod[] => [
  ...waiting,
  ...ask.map(({ pod, budget }): WaitingPod => {
    const refusal = refused[uidOf(pod)];
    return { pod, why: refusal ? { kind: "refused", refusal } : { kind: "turn", budget } };
  }),
];

/** Names the finished pods that only a finalizer keeps. */
function keptIn(warnings: readonly Remark[]): { readonly kept?: readonly string[] } {
  const kept = warnings.flatMap(({ pod, reason, detail }) =>
    reason === "kept-by-finalizer" ? [`${pod} (${detail})`] : [],
  );
  return kept.length > 0 ? { kept } : {};
}

/** The state after the answers of a round. The first round sets the drain's beginning. */
function stateAfter(before: DrainState, heard: readonly EvictionAnswer[], now: number): DrainState {
  const hasMoved = heard.some(({ meaning }) => meaning.kind === "accepted" || meaning.kind === "gone");
  const timed: DrainState = {
    ...before,
    begunAt: before.begunAt ?? now,
    movedAt: hasMoved ? now : before.movedAt,
  };
  return heard.reduce((known: DrainState, one) => recordAnswers(known, one, now, jitterOf(one.uid)), timed);
}

/** Plays the rounds of a drain: each lists the node's pods and evicts those whose turn it is. */
export const rounds = (context: StepContext) => {
  const reads = drainReads(context);
  const ask = asking(context);

  const roundOf = (
    { node }: DrainOrder,
    pods: readonly V1Pod[],
    budgets: readonly V1PodDisruptionBudget[] | null,
    state: DrainState,
  ): Round => nextRound({ node: node.name, pods, budgets, state, now: context.now() });

  const evictSome = async (order: DrainOrder, seen: PodsSeen, until: number): Promise<RoundResult> => {
    const state = { ...seen.state, emptySince: null };
    if (state.begunAt === null && context.now() < order.notBefore)
      return { state, end: null, waitsFor: connectionsToEnd, nextAt: order.notBefore };
    const budgets = await reads.budgets();
    const { node, held, options, deadline, mayGoOn } = order;
    const asked = { node: node.name, held, options, seenAt: seen.at, until, deadline, mayGoOn };
    const heard = await ask.all(roundOf(order, seen.evict, budgets, state), asked);
    const known = stateAfter(state, heard, context.now());
    // Answers that just arrived are reasons too, until the next list.
    const waiting = stillThere(roundOf(order, seen.evict, budgets, known), known);
    const waitsFor = drainWaits(holdUpsOf(waiting, budgets, context.now()));
    return { state: known, end: null, waitsFor, nextAt: context.now() + ROUND_MS };
  };

  /**
   * No pod to evict is left: waits some seconds for late pods, then until the volumes of the evicted pods are detached.
   */
  const empty = async ({ node, deadline }: DrainOrder, { state: before, warnings }: PodsSeen): Promise<RoundResult> => {
    const now = context.now();
    const emptySince = before.emptySince ?? now;
    const state = { ...before, emptySince };
    const over = { state, end: null, waitsFor: latePods, nextAt: watchedUntil(emptySince, deadline) };
    if (now < over.nextAt) return over;
    const volumes = await reads.attachments(node.name);
    const end = { kind: "drained", ...keptIn(warnings) } as const;
    if ("unreadable" in volumes) return { ...over, end: { ...end, volumes } };
    if (volumes.attached.length <= state.stayingVolumes) return { ...over, end };
    if (now >= Math.min(deadline, emptySince + DETACHED_WITHIN_MS)) return { ...over, end: { ...end, volumes } };
    return { ...over, waitsFor: volumesToDetach(volumes.attached), nextAt: now + VOLUMES_MS };
  };

  const late = async (order: DrainOrder, { evict, state }: PodsSeen): Promise<DrainEnd> => {
    const budgets = await reads.budgets();
    const waiting = stillThere(roundOf(order, evict, budgets, state), state);
    return {
      kind: "late",
      holdUps: holdUpsOf(waiting, budgets, context.now()),
      wouldDelete: evict.filter((pod) => !isTerminating(pod)).map(podName),
    };
  };

  /** Notes progress if pods have gone since the last list. */
  const seenSince = ({ state, evict }: PodsSeen): DrainState => {
    const movedAt = evict.length < state.left || state.movedAt === null ? context.now() : state.movedAt;
    return { ...state, movedAt, left: evict.length };
  };

  return {
    /**
     * Plays one round.
     * @param until milliseconds since the epoch after which no eviction begins
     * @throws Refused if the lease is no longer held; a busy server's error
     */
    play: async (order: DrainOrder, before: DrainState, until: number): Promise<RoundResult> => {
      const listed = await reads.pods(order.node.name, order.options, before);
      const seen = { ...listed, state: seenSince(listed) };
      const over = { state: seen.state, waitsFor: "", nextAt: context.now() };
      if (seen.refusals.length > 0) return { ...over, end: { kind: "refused", refusals: seen.refusals } };
      if (seen.evict.length === 0) return empty(order, seen);
      if (context.now() >= order.deadline) return { ...over, end: await late(order, seen) };
      return evictSome(order, seen, until);
    },
  };
};
