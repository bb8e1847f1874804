import type { V1Pod } from "@kubernetes/client-node";
import { within } from "../../time-limit.ts";
import { ifPresent } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { type Lease, leases } from "../ledger/leases.ts";
import { type AnswerMeaning, meaningOf } from "./answers.ts";
import { type DrainOptions, graceOf } from "./filters.ts";
import { isNameReused, isTerminating, uidOf } from "./pods.ts";
import { AT_ONCE, type EvictionAnswer, type Round } from "./schedule.ts";

/** The settings of one round's evictions. */
export interface EvictionRound {
  readonly node: string;
  readonly held: Lease;
  readonly options: DrainOptions;
  /** Milliseconds since the epoch at which the pods were listed. */
  readonly seenAt: number;
  /** Milliseconds since the epoch after which no eviction begins. */
  readonly until: number;
  /** Milliseconds since the epoch after which no answer is awaited. */
  readonly deadline: number;
  /** False once the operation is cancelled; no eviction begins after that. */
  readonly mayGoOn: () => Promise<boolean>;
}

/** Milliseconds after which a list no longer proves that a pod's name belongs to the same pod. */
const FRESH_MS = 2_000;

/** Longest time in milliseconds until an eviction is answered; lambdas/clients/kubernetes.ts stops waiting then. */
const LONGEST_ANSWER_MS = 35_000;

/**
 * Processes items in their order, ten at a time, until `mayGoOn` is false. An error stops it once the running ones have
 * ended.
 */
async function tenAtATime<T, R>(
  items: readonly T[],
  mayBegin: () => Promise<boolean>,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const queue = [...items];
  const results: R[] = [];
  const worker = async (): Promise<void> => {
    while (queue.length > 0 && (await mayBegin())) {
      const item = queue.shift();
      if (item !== undefined) results.push(await work(item));
    }
  };
  const stopping = (error: unknown): never => {
    queue.length = 0;
    throw error;
  };
  const workers = Array.from({ length: AT_ONCE }, () => worker().catch(stopping));
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return results;
}

/** Evicts pods only through the eviction API, so that budgets are respected and pods keep their own grace periods. */
export const asking = (context: StepContext) => {
  const { core } = context.clients.kubernetes;

  /**
   * Has the pod been replaced, moved or ordered to end since it was listed? An eviction with an outdated uid uses up a
   * disruption of the pod's budget for two minutes, so the precondition is only the last safeguard. A pod whose name
   * may be reused is read again first, and every pod is if the list is old.
   */
  const hasChanged = async (pod: V1Pod, { node, seenAt }: EvictionRound): Promise<boolean> => {
    if (!isNameReused(pod) && context.now() - seenAt <= FRESH_MS) return false;
    const { name = "", namespace = "" } = pod.metadata ?? {};
    const now = await ifPresent(core.readNamespacedPod({ name, namespace }));
    return !now || uidOf(now) !== uidOf(pod) || now.spec?.nodeName !== node || isTerminating(now);
  };

  const evict = async (pod: V1Pod, order: EvictionRound): Promise<AnswerMeaning> => {
    const grace = graceOf(order.options);
    if (grace === "refused") throw new Error("a drain without force was told to end pods at once");
    try {
      if (await hasChanged(pod, order)) return { kind: "gone" };
      const { name = "", namespace = "" } = pod.metadata ?? {};
      const deleteOptions = { preconditions: { uid: uidOf(pod) }, ...grace };
      const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace }, deleteOptions };
      const answer = core.createNamespacedPodEviction({ name, namespace, body });
      const left = order.deadline - context.now();
      await (left < LONGEST_ANSWER_MS ? within(Math.max(1_000, left), answer) : answer);
      return { kind: "accepted" };
    } catch (error) {
      return meaningOf(error);
    }
  };

  return {
    /**
     * Sends the evictions of a round, each with the pod's UID, and checks the lease and the operation before each.
     * @returns the answers; a pod whose eviction did not begin in time has none
     * @throws Refused if the lease is no longer held; an error that is not an answer about an eviction
     */
    all: (round: Round, order: EvictionRound): Promise<EvictionAnswer[]> =>
      tenAtATime(
        round.ask,
        async () => context.now() < Math.min(order.until, order.deadline) && (await order.mayGoOn()),
        async ({ pod, budget }) => {
          await leases(context).check(order.held);
          return { uid: uidOf(pod), budget, meaning: await evict(pod, order) };
        },
      ),
  };
};
