import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import type { AnswerMeaning, RefusalSource } from "./answers.ts";
import { type BudgetBlock, type BudgetClaim, claimOf } from "./budgets.ts";
import { isTerminating, overdueMs, podHold, tierOf, timeOf, uidOf } from "./pods.ts";

/** Limit on concurrent evictions: more would only queue at the API server's limits for one client. */
export const AT_ONCE = 10;

/** First pause in milliseconds before a refused eviction is sent again; later pauses are longer (kubectl's are not). */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 30_000;

/** Milliseconds after the end of its grace period from which on a terminating pod is stuck. */
export const STUCK_AFTER_MS = 60_000;

/** Characters of the server's words that are kept per pod, because each poll stores the state. */
const MOST_WORDS = 160;

/** The last refusal of a pod that is still on the node, kept by the pod's UID. */
export interface EvictionRefusal {
  readonly kind: "budget" | "several-budgets" | "namespace-ends" | "refused" | "unanswered";
  readonly by?: RefusalSource;
  readonly words: string;
  /** The budget that refused; no pod of it is evicted before `nextAt`. */
  readonly budget?: string;
  readonly attempts: number;
  /** Milliseconds since the epoch before which the pod is not evicted again. */
  readonly nextAt: number;
}

/** State of a drain between its polls. */
export interface DrainState {
  readonly refused: Readonly<Record<string, EvictionRefusal>>;
  /** Set while the API server is overloaded: no eviction begins before `until`. */
  readonly overload: { readonly attempts: number; readonly until: number; readonly words: string } | null;
  /** Milliseconds since the epoch since when the node has had no pod to evict. */
  readonly emptySince: number | null;
  /** Milliseconds since the epoch of the first evictions; null before. */
  readonly begunAt: number | null;
  /** Milliseconds since the epoch at which a pod last began to leave or was gone; null before the first list. */
  readonly movedAt: number | null;
  /** Number of pods to evict in the last list. */
  readonly left: number;
  /** Evictions that the API server accepted; missing in a drain of the last release. */
  readonly evicted?: number;
  /** DaemonSets that were read and exist. */
  readonly daemonSets: readonly string[];
  /** Milliseconds since the epoch at which each Job was read, by namespace and name; missing in a drain of the last release. */
  readonly jobs?: Readonly<Record<string, number>>;
  /** Number of volumes of pods that stay, which therefore stay attached. */
  readonly stayingVolumes: number;
}

/** State of a drain before its first poll. */
export const newDrain: DrainState = {
  refused: {},
  overload: null,
  emptySince: null,
  begunAt: null,
  movedAt: null,
  left: 0,
  daemonSets: [],
  stayingVolumes: 0,
};

/** Reason why a pod is still on the node. */
export type PodWait =
  /** The pod is terminating; `overMs` is the time since the end of its grace period, negative before. */
  | { readonly kind: "terminating"; readonly overMs: number; readonly isStuck: boolean }
  | { readonly kind: "held"; readonly annotation: string; readonly since: number | null }
  | { readonly kind: "budget"; readonly block: BudgetBlock }
  | { readonly kind: "refused"; readonly refusal: EvictionRefusal }
  | { readonly kind: "overload"; readonly words: string }
  /** Pods of an earlier tier must leave first. */
  | { readonly kind: "tier" }
  /** The pod's turn comes later: the budget's other pods go first, or its eviction is being sent. */
  | { readonly kind: "turn"; readonly budget: string | null };

/** A pod that is still on the node, and the reason. */
export interface WaitingPod {
  readonly pod: V1Pod;
  readonly why: PodWait;
}

/** Decision of one round: the pods to evict now, and the reasons why the others wait. */
export interface Round {
  readonly ask: readonly { readonly pod: V1Pod; readonly budget: string | null }[];
  readonly waiting: readonly WaitingPod[];
}

/** Everything that decides a round. */
export interface DrainPicture {
  /** Name of the node: no pod of another node is ever evicted. */
  readonly node: string;
  /** Pods to evict. */
  readonly pods: readonly V1Pod[];
  /** Null if budgets may not be read; then every pod is tried, and only the server judges. */
  readonly budgets: readonly V1PodDisruptionBudget[] | null;
  readonly state: DrainState;
  readonly now: number;
}

const isStuck = (pod: V1Pod, now: number): boolean => overdueMs(pod, now) > STUCK_AFTER_MS;

/** Must pods of later tiers wait for this pod? Not if its grace period is over. */
const holdsTiers = (pod: V1Pod, now: number): boolean => !(isTerminating(pod) && overdueMs(pod, now) > 0);

/** Reason in the pod, the other pods or earlier answers not to evict it now; undefined if there is none. */
function ownReason(pod: V1Pod, { state, now }: DrainPicture, firstTier: number): PodWait | undefined {
  if (isTerminating(pod)) return { kind: "terminating", overMs: overdueMs(pod, now), isStuck: isStuck(pod, now) };
  const hold = podHold(pod, now);
  if (hold) return { kind: "held", annotation: hold.annotation, since: timeOf(pod.status?.startTime) ?? null };
  const refusal = state.refused[uidOf(pod)];
  if (refusal && refusal.nextAt > now) return { kind: "refused", refusal };
  return tierOf(pod) > firstTier ? { kind: "tier" } : undefined;
}

/** Reason why no pod at all is evicted now; undefined unless the server is overloaded. */
const overload = ({ state, now }: DrainPicture): PodWait | undefined =>
  state.overload && state.overload.until > now ? { kind: "overload", words: state.overload.words } : undefined;

/** Budgets that refused a pod a moment ago, even if their status allows disruptions. */
const resting = ({ refused }: DrainState, now: number): ReadonlySet<string> =>
  new Set(Object.values(refused).flatMap(({ budget, nextAt }) => (budget && nextAt > now ? [budget] : [])));

/** Turn of a pod: it is evicted now, or waits. */
type Turn = { readonly budget: string | null } | { readonly why: PodWait };

/** Counts how many disruptions of each budget a round uses. */
function counter(rest: ReadonlySet<string>) {
  const taken = new Map<string, number>();
  return (claim: BudgetClaim): Turn => {
    if (claim.kind === "free") return { budget: null };
    if (claim.kind === "blocked") return { why: { kind: "budget", block: claim.block } };
    const before = taken.get(claim.budget) ?? 0;
    if (before >= claim.allowed || rest.has(claim.budget)) return { why: { kind: "turn", budget: claim.budget } };
    taken.set(claim.budget, before + 1);
    return { budget: claim.budget };
  };
}

/** Sorts pods by their failed attempts, fewest first, so that none blocks the other pods of its budget. */
const byAttempts = (pods: readonly V1Pod[], { refused }: DrainState): V1Pod[] => {
  const attempts = (pod: V1Pod): number => refused[uidOf(pod)]?.attempts ?? 0;
  return [...pods].sort((one, other) => attempts(one) - attempts(other));
};

/**
 * Decides which pods are evicted now: never more of a budget's pods than it allows, and one tier after another. Pods
 * wait, each with its reason, if they must not be interrupted, are terminating, were refused a moment ago, or the
 * server is overloaded.
 */
export function nextRound(picture: DrainPicture): Round {
  const { state, now, node, budgets } = picture;
  const here = byAttempts(
    picture.pods.filter(({ spec }) => spec?.nodeName === node),
    state,
  );
  const firstTier = Math.min(...here.filter((pod) => holdsTiers(pod, now)).map(tierOf));
  const take = counter(resting(state, now));
  const turnOf = (pod: V1Pod): Turn => {
    const why = ownReason(pod, picture, firstTier);
    if (why) return { why };
    const turn = take(budgets ? claimOf(pod, budgets) : { kind: "free" });
    const busy = overload(picture);
    return "budget" in turn && busy ? { why: busy } : turn;
  };
  const turns = here.map((pod) => ({ pod, turn: turnOf(pod) }));
  return {
    ask: turns.flatMap(({ pod, turn }) => ("budget" in turn ? [{ pod, budget: turn.budget }] : [])),
    waiting: turns.flatMap(({ pod, turn }) => ("why" in turn ? [{ pod, why: turn.why }] : [])),
  };
}

/**
 * Computes the pause before an eviction is sent again: 5 s, 10 s, 20 s, then 30 s, each up to a fifth shorter or
 * longer.
 * @param attempts number of answers so far, 1 after the first
 * @param jitter from 0 to 1
 * @param atLeast milliseconds that the server asked for
 */
export function pauseMs(attempts: number, jitter: number, atLeast: number | null): number {
  const plain = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
  const spread = Math.min(plain * (0.8 + 0.4 * jitter), LONGEST_PAUSE_MS);
  return Math.round(Math.max(spread, atLeast ?? 0));
}

/** The server's answer about one pod, with the budget that the eviction used. */
export interface EvictionAnswer {
  readonly uid: string;
  readonly budget: string | null;
  readonly meaning: AnswerMeaning;
}

const without = (state: DrainState, uid: string): DrainState => {
  const { [uid]: _gone, ...refused } = state.refused;
  return { ...state, refused };
};

function refusedAgain(
  state: DrainState,
  { uid, budget, meaning }: EvictionAnswer,
  now: number,
  jitter: number,
): DrainState {
  if (meaning.kind === "accepted" || meaning.kind === "gone" || meaning.kind === "overload") return state;
  const attempts = (state.refused[uid]?.attempts ?? 0) + 1;
  const atLeast = meaning.kind === "budget" ? meaning.retryAfterMs : null;
  // Deleting a namespace deletes its pods within seconds, so a growing pause would only waste time.
  const counted = meaning.kind === "namespace-ends" ? 1 : attempts;
  const refusal: EvictionRefusal = {
    kind: meaning.kind,
    ...("by" in meaning ? { by: meaning.by } : {}),
    words: meaning.words.slice(0, MOST_WORDS),
    ...(meaning.kind === "budget" && budget ? { budget } : {}),
    attempts,
    nextAt: now + pauseMs(counted, jitter, atLeast),
  };
  return { ...state, refused: { ...state.refused, [uid]: refusal } };
}

/** Pauses the whole drain while the server is overloaded. Several answers of one overload are one attempt. */
function overloaded(
  state: DrainState,
  meaning: AnswerMeaning & { kind: "overload" },
  now: number,
  jitter: number,
): DrainState {
  const { overload } = state;
  if (overload && overload.until > now) return state;
  const attempts = (overload?.attempts ?? 0) + 1;
  const until = now + pauseMs(attempts, jitter, meaning.retryAfterMs);
  return { ...state, overload: { attempts, until, words: meaning.words.slice(0, MOST_WORDS) } };
}

/**
 * Adds an answer to the state of the drain.
 * @param now milliseconds since the epoch
 * @param jitter from 0 to 1, different for each pod
 */
export function recordAnswers(state: DrainState, heard: EvictionAnswer, now: number, jitter: number): DrainState {
  const { meaning, uid } = heard;
  if (meaning.kind === "overload") return overloaded(state, meaning, now, jitter);
  // Of several concurrent evictions some may be accepted although the server is overloaded; the pause then stays.
  const isOver = state.overload === null || state.overload.until <= now;
  const evicted = (state.evicted ?? 0) + 1;
  if (meaning.kind === "accepted") return { ...without(state, uid), evicted, ...(isOver ? { overload: null } : {}) };
  return meaning.kind === "gone" ? without(state, uid) : refusedAgain(state, heard, now, jitter);
}
