import { ApiException, type V1Pod } from "@kubernetes/client-node";
import { causesOf, ifPresent, isBusy, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { type Lease, leases } from "../ledger/leases.ts";

/** Result of asking for one eviction: only a budget blocks, anything else that is no answer is `unanswered`. */
export type Evicted =
  | { readonly state: "leaving" | "gone" }
  | { readonly state: "blocked" | "unanswered"; readonly why: string };

/** A pod and the answer to its eviction. */
export interface Asked {
  readonly pod: V1Pod;
  readonly answer: Evicted;
}

/** Words of a budget that blocks; without this cause a 429 only means that the API server is overloaded. */
const budgetsWords = (error: ApiException<unknown>): string | undefined => {
  const budget = causesOf(error).find(({ reason }) => reason === "DisruptionBudget");
  return budget && (budget.message ?? wordsOf(error));
};

/** A pod under two budgets is never evicted: a 500 without a reason, which every other 500 of the API server has. */
const isUnderTwoBudgets = (error: ApiException<unknown>): boolean =>
  error.code === 500 && wordsOf(error).includes("more than one PodDisruptionBudget");

/** Meaning of a refused eviction (pkg/registry/core/pod/storage/eviction.go); undefined for any other refusal. */
function refusalOf(error: ApiException<unknown>): Evicted | undefined {
  if (error.code === 404 || error.code === 409) return { state: "gone" };
  // Its namespace takes nothing new, not even an eviction, and deletes the pod itself.
  if (causesOf(error).some(({ reason }) => reason === "NamespaceTerminating")) return { state: "leaving" };
  const why = isUnderTwoBudgets(error) ? wordsOf(error) : budgetsWords(error);
  return why === undefined ? undefined : { state: "blocked", why };
}

/** Reads an error as an answer; anything that trying again does not help is thrown on. */
function answerOf(error: unknown): Evicted {
  const refusal = error instanceof ApiException ? refusalOf(error) : undefined;
  if (refusal) return refusal;
  if (isBusy(error)) return { state: "unanswered", why: wordsOf(error) };
  throw error;
}

const hasEnded = ({ status }: V1Pod): boolean => ["Succeeded", "Failed"].includes(status?.phase ?? "");

const stays = (pod: V1Pod): boolean =>
  pod.metadata?.annotations?.["kubernetes.io/config.mirror"] !== undefined ||
  (pod.metadata?.ownerReferences ?? []).some(
    (owner) => owner.controller && owner.kind === "DaemonSet" && owner.apiVersion.startsWith("apps/"),
  ) ||
  hasEnded(pod);

/** Pods that an emptied node must not hold any more: not static, not a DaemonSet's, not finished. */
export const podsToEvict = (pods: readonly V1Pod[]): V1Pod[] => pods.filter((pod) => !stays(pod));

/** Evictions under way at the same time: one slow answer holds up a quarter of the others at most. */
const AT_ONCE = 4;

/** Milliseconds in which pods are begun with. The answers to the last ones come later; an invocation ends after 300 s. */
const TICK_MS = 60_000;

/** Milliseconds that a poll has even at the deadline: the failure names its answers. */
const LAST_LOOK_MS = 10_000;

/** Rotates the pods by the second, so that slow answers at the front never block the same pods for good. */
const fromAnother = <T>(items: readonly T[], now: number): T[] => {
  const from = items.length > 0 ? Math.floor(now / 1_000) % items.length : 0;
  return [...items.slice(from), ...items.slice(0, from)];
};

/** Works on items in their order, some at the same time, while there is time. An error ends it after those under way. */
async function whileTime<T, R>(
  items: readonly T[],
  hasTime: () => boolean,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const queue = [...items];
  const results: R[] = [];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined && hasTime(); item = queue.shift())
      results.push(await work(item));
  };
  const workers = Array.from({ length: AT_ONCE }, () =>
    worker().catch((error) => {
      queue.length = 0;
      throw error;
    }),
  );
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  return results;
}

/** Emptying a node through the eviction API alone, so that budgets are heard and pods keep their own grace. */
export const evictions = (context: StepContext) => {
  const { core } = context.clients.kubernetes;

  /**
   * Evicts exactly this pod. It is read again right before: a uid that is not met by the time of the eviction costs a
   * disruption of its budget for two minutes, so that precondition is only the last guard.
   */
  const evictNow = async ({ metadata }: V1Pod): Promise<Evicted> => {
    const { name = "", namespace = "", uid = "" } = metadata ?? {};
    const now = await ifPresent(core.readNamespacedPod({ name, namespace }));
    if (now?.metadata?.uid !== uid || hasEnded(now)) return { state: "gone" };
    if (now.metadata.deletionTimestamp) return { state: "leaving" };
    const deleteOptions = { preconditions: { uid } };
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace }, deleteOptions };
    await core.createNamespacedPodEviction({ name, namespace, body });
    return { state: "leaving" };
  };

  /**
   * Asks for the eviction of exactly this pod (by UID: a namesake elsewhere is another pod) from the machine that is held.
   * @throws Refused when the lease is not held any more; what the API server forbids; a busy ledger's error
   */
  const evict = async (held: Lease, pod: V1Pod): Promise<Evicted> => {
    if (pod.metadata?.deletionTimestamp) return { state: "leaving" };
    await leases(context).check(held);
    try {
      return await evictNow(pod);
    } catch (error) {
      return answerOf(error);
    }
  };

  return {
    evict,

    /**
     * Asks for the eviction of each of these pods, each judged for itself, within a bounded time.
     * @param until the deadline, in milliseconds since the epoch: no pod is begun with ten seconds after it
     * @returns the answers; pods for which the time did not suffice are not among them
     * @throws Refused when the lease is not held any more; what the API server forbids; a busy ledger's error
     */
    evictAll: (held: Lease, pods: readonly V1Pod[], until: number): Promise<Asked[]> => {
      const now = context.now();
      const end = Math.min(now + TICK_MS, Math.max(until, now + LAST_LOOK_MS));
      const hasTime = (): boolean => context.now() < end;
      return whileTime(fromAnother(pods, now), hasTime, async (pod) => ({ pod, answer: await evict(held, pod) }));
    },
  };
};
