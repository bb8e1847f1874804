import type { V1Pod } from "@kubernetes/client-node";
import { within } from "../../time-limit.ts";
import { ifPresent } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { type Lease, leases } from "../ledger/leases.ts";
import { type Meaning, meaningOf } from "./answers.ts";
import { type DrainOptions, graceOf } from "./filters.ts";
import { isNameReused, isTerminating, uidOf } from "./pods.ts";
import { AT_ONCE, type Heard, type Round } from "./schedule.ts";

/** Evictions of one round. */
export interface Asking {
  readonly node: string;
  readonly held: Lease;
  readonly options: DrainOptions;
  /** Milliseconds since the epoch at which the pods were listed. */
  readonly seenAt: number;
  /** Milliseconds since the epoch: none is begun later. */
  readonly until: number;
  /** Milliseconds since the epoch: no answer is waited for any longer. */
  readonly deadline: number;
  /** False once the operation was cancelled: then none is begun any more. */
  readonly mayGoOn: () => Promise<boolean>;
}

/** Age in milliseconds from which on a list is no evidence any more that the pod of a name is still the same. */
const FRESH_MS = 2_000;

/** The longest that an eviction takes to be answered; lambdas/clients/kubernetes.ts gives up then. */
const LONGEST_ANSWER_MS = 35_000;

/** Works on items in their order, ten at a time, while it may go on. An error ends it after those under way. */
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

/** Evictions: through the API alone, so that budgets are heard and pods keep their own grace. */
export const asking = (context: StepContext) => {
  const { core } = context.clients.kubernetes;

  /**
   * Is the pod another one by now, elsewhere, or about to end? A uid that is not met by the time of the eviction costs a
   * disruption of its budget for two minutes, so the precondition is only the last guard: what may have a namesake is read
   * again, and everything when its list is old.
   */
  const hasChanged = async (pod: V1Pod, { node, seenAt }: Asking): Promise<boolean> => {
    if (!isNameReused(pod) && context.now() - seenAt <= FRESH_MS) return false;
    const { name = "", namespace = "" } = pod.metadata ?? {};
    const now = await ifPresent(core.readNamespacedPod({ name, namespace }));
    return !now || uidOf(now) !== uidOf(pod) || now.spec?.nodeName !== node || isTerminating(now);
  };

  const evict = async (pod: V1Pod, order: Asking): Promise<Meaning> => {
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
     * Asks for the evictions of a round, each by the pod's UID, with the lease and the operation checked before each.
     * @returns the answers; a pod for which the time did not suffice has none
     * @throws Refused when the lease is not held any more; an error that is no answer about an eviction
     */
    all: (round: Round, order: Asking): Promise<Heard[]> =>
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
