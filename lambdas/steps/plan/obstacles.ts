import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import type { Blocker, LongJob } from "../../messages/plan/plan.ts";
import type { AnswerMeaning } from "../drain/answers.ts";
import { type BudgetBlock, budgetName, budgetsOf, claimOf } from "../drain/budgets.ts";
import { podHold, podName, uidOf, unreadHold } from "../drain/pods.ts";
import { AT_ONCE } from "../drain/schedule.ts";

const budgetsIn = (block: BudgetBlock): readonly string[] =>
  block.kind === "several" ? block.budgets : [block.budget];

/** Describes a block in the words with which the API server refuses the eviction. */
function words(block: BudgetBlock): string {
  if (block.kind === "used-up")
    return block.wantsAlwaysAllow
      ? `needs ${block.needs} healthy pods and has ${block.has}; with unhealthyPodEvictionPolicy AlwaysAllow it would let them go`
      : `needs ${block.needs} healthy pods and has ${block.has} currently`;
  if (block.kind === "uncomputable") return `cannot be computed: ${block.why}`;
  return block.kind === "processing" ? "is still being processed by the server" : "several budgets select the pod";
}

const isForever = (block: BudgetBlock): boolean =>
  block.kind === "several" || block.kind === "uncomputable" || (block.kind === "used-up" && block.isForever);

/** A pod that cannot be evicted now, and the reason. */
interface Blocked extends Omit<Blocker, "pods"> {
  readonly pod: string;
}

const byBudget = (pod: V1Pod, block: BudgetBlock): Blocked => ({
  pod: podName(pod),
  budgets: budgetsIn(block),
  why: words(block),
  isForever: isForever(block),
});

/** Names the pod's budgets, which the server's answer may lack. */
const namesFor = (pod: V1Pod, budgets: readonly V1PodDisruptionBudget[]): string[] =>
  budgetsOf(pod, budgets).map(budgetName);

/**
 * Judges a pod by the server's answer to the dry run of its eviction, or by its budgets' status if there is no answer.
 * If both refuse, the status is used: it names the budget, and tells whether the budget ever allows an eviction.
 */
function blockOn(
  pod: V1Pod,
  budgets: readonly V1PodDisruptionBudget[],
  answer: AnswerMeaning | undefined,
): Blocked | null {
  const claim = claimOf(pod, budgets);
  const byStatus = claim.kind === "blocked" ? byBudget(pod, claim.block) : null;
  if (answer?.kind === "budget" || answer?.kind === "several-budgets") {
    const isSeveral = answer.kind === "several-budgets";
    const named = { pod: podName(pod), budgets: namesFor(pod, budgets), why: answer.words, isForever: isSeveral };
    return byStatus ?? named;
  }
  if (answer?.kind === "refused") return { pod: podName(pod), budgets: [], why: answer.words, isForever: false };
  return answer?.kind === "accepted" || answer?.kind === "gone" ? null : byStatus;
}

/**
 * Lists the budgets, admission policies and webhooks that allow no eviction of these pods now, each with its pods. A
 * budget that allows one pod after another is not listed, because the drain evicts its pods in turns.
 * @param answers to the dry runs of evictions, by the pod's UID; a pod without an answer is judged by its budgets'
 * status
 */
export function blockersOf(
  pods: readonly V1Pod[],
  budgets: readonly V1PodDisruptionBudget[],
  answers: ReadonlyMap<string, AnswerMeaning>,
): Blocker[] {
  const blocked = pods.flatMap((pod) => blockOn(pod, budgets, answers.get(uidOf(pod))) ?? []);
  const groups = Map.groupBy(blocked, ({ budgets: names, why }) => JSON.stringify([names, names.length > 0 || why]));
  return [...groups.values()].flatMap(([first, ...rest]) => {
    if (!first) return [];
    const { pod, ...blocker } = first;
    return [{ ...blocker, pods: [pod, ...rest.map((other) => other.pod)] }];
  });
}

/** Formats a time of the client, or of this function, as ISO 8601; null if there is none. */
const isoOf = (time: Date | string | number | null | undefined): string | null =>
  time ? new Date(time).toISOString() : null;

/** Lists the pods whose owners ask not to interrupt them. @param now milliseconds since the epoch */
export const longJobsOf = (pods: readonly V1Pod[], now: number): LongJob[] =>
  pods.flatMap((pod) => {
    const hold = podHold(pod, now);
    if (hold === undefined) return [];
    const { annotation, until } = hold;
    return [{ pod: podName(pod), annotation, startedAt: isoOf(pod.status?.startTime), until: isoOf(until) }];
  });

/** Lists the pods with an annotation that may hold them, by a value that cannot be read. */
export const unreadHoldsOf = (pods: readonly V1Pod[]): string[] =>
  pods.flatMap((pod) => {
    const unread = unreadHold(pod);
    return unread === undefined ? [] : [`${podName(pod)} (${unread})`];
  });

/** Kubernetes' default grace period in seconds. */
const GRACE = 30;

/**
 * Seconds until the pod that replaces an evicted one is healthy, so that its budget allows the next eviction (assumed).
 */
const REPLACED = 60;

const graceOf = ({ spec }: V1Pod): number => spec?.terminationGracePeriodSeconds ?? GRACE;

const longestOf = (pods: readonly V1Pod[]): number => Math.max(0, ...pods.map(graceOf));

/** Estimates the seconds that one budget's pods take: they leave in turns, as many together as the budget allows. */
function turnsOf(pods: readonly V1Pod[], allowed: number): number {
  const turns = Math.ceil(pods.length / Math.max(1, allowed));
  return turns * longestOf(pods) + (turns - 1) * REPLACED;
}

/**
 * Estimates the minutes of a drain, if only the budgets' turns delay it: first the connections, then the pods, ten at a
 * time and those of one budget in turns. The least is 1.
 * @param connectionSeconds time for connections to close before the first eviction
 */
export function minutesFor(
  pods: readonly V1Pod[],
  budgets: readonly V1PodDisruptionBudget[],
  connectionSeconds: number,
): number {
  const counted = pods.flatMap((pod) => {
    const claim = claimOf(pod, budgets);
    return claim.kind === "counted" ? [{ pod, ...claim }] : [];
  });
  const turns = [...Map.groupBy(counted, ({ budget }) => budget).values()].map((own) =>
    turnsOf(
      own.map(({ pod }) => pod),
      own[0]?.allowed ?? 1,
    ),
  );
  const inTurn = pods.reduce((sum, pod) => sum + graceOf(pod), 0) / AT_ONCE;
  const evicting = pods.length > 0 ? connectionSeconds + Math.max(longestOf(pods), inTurn, ...turns) : 0;
  return Math.max(1, Math.ceil(evicting / 60));
}
