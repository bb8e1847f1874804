import type { V1Pod } from "@kubernetes/client-node";
import { NoAnswer, within } from "../../time-limit.ts";
import { wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { type Meaning, meaningOf } from "./answers.ts";
import { holdOn, isTerminating, uidOf } from "./pods.ts";
import { AT_ONCE } from "./schedule.ts";

/** Answers to evictions that were tried as a dry run: nothing was changed for them, and no budget was used. */
export interface Tried {
  /** By the pod's UID; only answers that say something about the pod. */
  readonly answers: ReadonlyMap<string, Meaning>;
  /** Pods without an answer, and why; null when each has one. */
  readonly untried: Untried | null;
}

/** Pods whose eviction could not be tried. */
export interface Untried {
  readonly pods: number;
  readonly why: string;
}

/** Evictions tried for one plan at most: a plan is read by a person who waits. */
const MOST = 100;

/** Milliseconds that all of them may take; the front door's requester sees nothing before. */
const WITHIN_MS = 20_000;
const NO_TIME = `there was no more time after ${WITHIN_MS / 1_000} s`;

/** Pods that a drain would ask to leave: those that end already or must not be interrupted are not asked. */
const isAsked = (pod: V1Pod): boolean => !isTerminating(pod) && holdOn(pod) === undefined;

/** Reason why the server cannot be asked at all, by one of its answers; null while it can. */
function stopsAll(meaning: Meaning): string | null {
  if (meaning.kind === "unanswered" || meaning.kind === "overload") return meaning.words;
  return meaning.kind === "refused" && meaning.by === "rbac" ? meaning.words : null;
}

/** Keeps what the answers say about their pods. @returns why the server cannot be asked any more, or null */
function keep(pods: readonly V1Pod[], meanings: readonly Meaning[], answers: Map<string, Meaning>): string | null {
  const heard = pods.flatMap((pod, index) => {
    const meaning = meanings[index];
    return meaning ? [{ pod, meaning, stop: stopsAll(meaning) }] : [];
  });
  for (const { pod, meaning, stop } of heard) if (stop === null) answers.set(uidOf(pod), meaning);
  return heard.find(({ stop }) => stop !== null)?.stop ?? null;
}

/** Trying evictions before a person approves them. */
export const preflight = ({ clients, now }: StepContext) => {
  const { core } = clients.kubernetes;

  /** Sends the eviction as a dry run, by the query: webhooks do not see one in the body (`request.dryRun` is false then). */
  const tryOut = async ({ metadata }: V1Pod): Promise<Meaning> => {
    const { name = "", namespace = "" } = metadata ?? {};
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
    try {
      await core.createNamespacedPodEviction({ name, namespace, dryRun: "All", body });
      return { kind: "accepted" };
    } catch (error) {
      return meaningOf(error);
    }
  };

  /** One batch; a silent server has answered nothing. */
  const batch = async (pods: readonly V1Pod[], until: number): Promise<readonly Meaning[]> => {
    try {
      return await within(Math.max(1, until - now()), Promise.all(pods.map(tryOut)));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return pods.map(() => ({ kind: "unanswered", words: wordsOf(error) }));
    }
  };

  return {
    /**
     * Tries the eviction of each pod that a drain would ask to leave, 100 at most and for 20 s at most; changes nothing. It
     * stops as soon as the server shows that it cannot be asked.
     * @throws what is no answer about an eviction: a refused credential, a bug
     */
    try: async (pods: readonly V1Pod[]): Promise<Tried> => {
      const asked = pods.filter(isAsked);
      const answers = new Map<string, Meaning>();
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
