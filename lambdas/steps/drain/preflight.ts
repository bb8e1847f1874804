import type { V1Pod } from "@kubernetes/client-node";
import { NoAnswer, within } from "../../time-limit.ts";
import { wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { type AnswerMeaning, meaningOf } from "./answers.ts";
import { isTerminating, podHold, uidOf } from "./pods.ts";
import { AT_ONCE } from "./schedule.ts";

/** Answers to evictions that were tried as a dry run, which changes nothing and uses up no budget. */
export interface PreflightAnswers {
  /** Answers by the pod's UID; only those that say something about the pod. */
  readonly answers: ReadonlyMap<string, AnswerMeaning>;
  /** Pods without an answer, and the reason; null if each has one. */
  readonly untried: PodsNotTried | null;
}

/** Pods whose eviction could not be tried. */
export interface PodsNotTried {
  readonly pods: number;
  readonly why: string;
}

/** Limit on the evictions that one plan tries, because a person waits for the plan. */
const MOST = 100;

/** Time limit of all dry runs in milliseconds; the requester sees nothing of the plan before. */
const WITHIN_MS = 20_000;
const NO_TIME = `there was no more time after ${WITHIN_MS / 1_000} s`;

/** Would a drain evict the pod? Not if it is terminating already or must not be interrupted. */
const isAsked = (pod: V1Pod, at: number): boolean => !isTerminating(pod) && podHold(pod, at) === undefined;

/** Reason, found in one answer, why the server cannot be asked any more; null if it can. */
function stopsAll(meaning: AnswerMeaning): string | null {
  if (meaning.kind === "unanswered" || meaning.kind === "overload") return meaning.words;
  return meaning.kind === "refused" && meaning.by === "rbac" ? meaning.words : null;
}

/**
 * Keeps the answers that say something about their pods. @returns the reason why the server cannot be asked any more,
 * or null
 */
function keep(
  pods: readonly V1Pod[],
  meanings: readonly AnswerMeaning[],
  answers: Map<string, AnswerMeaning>,
): string | null {
  const heard = pods.flatMap((pod, index) => {
    const meaning = meanings[index];
    return meaning ? [{ pod, meaning, stop: stopsAll(meaning) }] : [];
  });
  for (const { pod, meaning, stop } of heard) if (stop === null) answers.set(uidOf(pod), meaning);
  return heard.find(({ stop }) => stop !== null)?.stop ?? null;
}

/** Tries evictions before a person approves them. */
export const preflight = ({ clients, now }: StepContext) => {
  const { core } = clients.kubernetes;

  /**
   * Sends the eviction as a dry run, by the query parameter: with a dry run in the body, webhooks would see
   * `request.dryRun` as false.
   */
  const tryOut = async ({ metadata }: V1Pod): Promise<AnswerMeaning> => {
    const { name = "", namespace = "" } = metadata ?? {};
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
    try {
      await core.createNamespacedPodEviction({ name, namespace, dryRun: "All", body });
      return { kind: "accepted" };
    } catch (error) {
      return meaningOf(error);
    }
  };

  /** Tries one batch; a time-out means that no pod of it has an answer. */
  const batch = async (pods: readonly V1Pod[], until: number): Promise<readonly AnswerMeaning[]> => {
    try {
      return await within(Math.max(1, until - now()), Promise.all(pods.map(tryOut)));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return pods.map(() => ({ kind: "unanswered", words: wordsOf(error) }));
    }
  };

  return {
    /**
     * Tries the evictions that a drain would send, at most 100 and for at most 20 s; changes nothing. It stops as soon
     * as an answer shows that the server cannot be asked any more.
     * @throws an error that is not an answer about an eviction: a rejected credential, a bug
     */
    try: async (pods: readonly V1Pod[]): Promise<PreflightAnswers> => {
      const asked = pods.filter((pod) => isAsked(pod, now()));
      const answers = new Map<string, AnswerMeaning>();
      const until = now() + WITHIN_MS;
      let why: string | null = null;
      for (let from = 0; from < Math.min(asked.length, MOST) && why === null; from += AT_ONCE) {
        const some = asked.slice(from, Math.min(from + AT_ONCE, MOST));
        const meanings = await batch(some, until);
        why = keep(some, meanings, answers) ?? (now() >= until ? NO_TIME : null);
      }
      const left = asked.length - answers.size;
      return { answers, untried: left === 0 ? null : { pods: left, why: why ?? `${MOST} are tried at most` } };
    },
  };
};
