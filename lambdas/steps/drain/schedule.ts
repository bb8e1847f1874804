import type { V1Pod, V1PodDisruptionBudget } from "@kubernetes/client-node";
import type { Forbidder, Meaning } from "./answers.ts";
import { type BudgetBlock, type Claim, claimOf } from "./budgets.ts";
import { holdOn, isTerminating, overdueMs, tierOf, timeOf, uidOf } from "./pods.ts";

/** Evictions under way at the same time: more would only queue at the API server's limits for one client. */
export const AT_ONCE = 10;

/** Milliseconds before a refused eviction is asked for again: the first time, and at most (kubectl: always the first). */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 30_000;

/** Milliseconds after the end of its grace from which on a terminating pod counts as stuck. */
export const STUCK_AFTER_MS = 60_000;

/** Characters of the server's words that are kept per pod: the state is stored at every poll. */
const MOST_WORDS = 160;

/** The last answer about a pod that is still there; kept by its UID. */
export interface Refusal {
  readonly kind: "budget" | "several-budgets" | "namespace-ends" | "refused" | "unanswered";
  readonly by?: Forbidder;
  readonly words: string;
  /** Budget that was asked in vain; it rests as long as the pod. */
  readonly budget?: string;
  readonly attempts: number;
  /** Milliseconds since the epoch before which it is not asked again. */
  readonly nextAt: number;
}

/** State of a drain between its polls. */
export interface DrainState {
  readonly refused: Readonly<Record<string, Refusal>>;
  /** The API server was overloaded: no eviction at all before `until`. */
  readonly overload: { readonly attempts: number; readonly until: number; readonly words: string } | null;
  /** Milliseconds since the epoch: no pod to evict was seen since then. */
  readonly emptySince: number | null;
  /** Time at which pods were first asked to leave; null before. */
  readonly begunAt: number | null;
  /** Time at which a pod last began to leave or was gone; null before the first look. */
  readonly movedAt: number | null;
  /** Pods to evict that were there at the last look. */
  readonly left: number;
  /** DaemonSets that were looked up and exist. */
  readonly daemonSets: readonly string[];
  /** Volumes of pods that stay, which therefore stay attached. */
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
export type Waiting =
  /** Told to end; `overMs` counts from the end of its grace and is negative before. */
  | { readonly kind: "terminating"; readonly overMs: number; readonly isStuck: boolean }
  | { readonly kind: "held"; readonly annotation: string; readonly since: number | null }
  | { readonly kind: "budget"; readonly block: BudgetBlock }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "overload"; readonly words: string }
  /** Pods of an earlier tier have to leave first. */
  | { readonly kind: "tier" }
  /** Its turn comes: the budget's other pods go first, or it is being asked now. */
  | { readonly kind: "turn"; readonly budget: string | null };

/** A pod that is still there, and why. */
export interface WaitingPod {
  readonly pod: V1Pod;
  readonly why: Waiting;
}

/** One look at the node: which pods to ask now, and why the others wait. */
export interface Round {
  readonly ask: readonly { readonly pod: V1Pod; readonly budget: string | null }[];
  readonly waiting: readonly WaitingPod[];
}

/** Everything that a round is worked out from. */
export interface Look {
  /** Name of the node: a pod of another one is never asked. */
  readonly node: string;
  /** Pods to evict. */
  readonly pods: readonly V1Pod[];
  /** Null where budgets may not be read: then each pod is asked, and the server alone judges. */
  readonly budgets: readonly V1PodDisruptionBudget[] | null;
  readonly state: DrainState;
  readonly now: number;
}

const isStuck = (pod: V1Pod, now: number): boolean => overdueMs(pod, now) > STUCK_AFTER_MS;

/** Does the pod hold those of later tiers back? One past the end of its grace holds none. */
const holdsTiers = (pod: V1Pod, now: number): boolean => !(isTerminating(pod) && overdueMs(pod, now) > 0);

/** Reason to leave the pod alone that lies in itself, in the other pods or in earlier answers; undefined if it may be asked. */
function ownReason(pod: V1Pod, { state, now }: Look, firstTier: number): Waiting | undefined {
  if (isTerminating(pod)) return { kind: "terminating", overMs: overdueMs(pod, now), isStuck: isStuck(pod, now) };
  const annotation = holdOn(pod);
  if (annotation) return { kind: "held", annotation, since: timeOf(pod.status?.startTime) ?? null };
  const refusal = state.refused[uidOf(pod)];
  if (refusal && refusal.nextAt > now) return { kind: "refused", refusal };
  return tierOf(pod) > firstTier ? { kind: "tier" } : undefined;
}

/** Reason why no pod at all is asked now; undefined while the server has time. */
const overload = ({ state, now }: Look): Waiting | undefined =>
  state.overload && state.overload.until > now ? { kind: "overload", words: state.overload.words } : undefined;

/** Budgets that refused a pod a moment ago, whatever their lists say. */
const resting = ({ refused }: DrainState, now: number): ReadonlySet<string> =>
  new Set(Object.values(refused).flatMap(({ budget, nextAt }) => (budget && nextAt > now ? [budget] : [])));

/** Turn of a pod: it is asked now, or waits. */
type Turn = { readonly budget: string | null } | { readonly why: Waiting };

/** Counts what a round takes from each budget. */
function counter(rest: ReadonlySet<string>) {
  const taken = new Map<string, number>();
  return (claim: Claim): Turn => {
    if (claim.kind === "free") return { budget: null };
    if (claim.kind === "blocked") return { why: { kind: "budget", block: claim.block } };
    const before = taken.get(claim.budget) ?? 0;
    if (before >= claim.allowed || rest.has(claim.budget)) return { why: { kind: "turn", budget: claim.budget } };
    taken.set(claim.budget, before + 1);
    return { budget: claim.budget };
  };
}

/** Those that were asked in vain least often come first, so that none blocks the others of its budget. */
const byAttempts = (pods: readonly V1Pod[], { refused }: DrainState): V1Pod[] => {
  const attempts = (pod: V1Pod): number => refused[uidOf(pod)]?.attempts ?? 0;
  return [...pods].sort((one, other) => attempts(one) - attempts(other));
};

/**
 * Works out which pods are asked to leave now: never more of a budget's than it allows, one tier of pods after another.
 * Pods that are held, terminating, backing off or behind an overloaded server wait, each with its reason.
 */
export function nextRound(look: Look): Round {
  const { state, now, node, budgets } = look;
  const here = byAttempts(
    look.pods.filter(({ spec }) => spec?.nodeName === node),
    state,
  );
  const firstTier = Math.min(...here.filter((pod) => holdsTiers(pod, now)).map(tierOf));
  const take = counter(resting(state, now));
  const turnOf = (pod: V1Pod): Turn => {
    const why = ownReason(pod, look, firstTier);
    if (why) return { why };
    const turn = take(budgets ? claimOf(pod, budgets) : { kind: "free" });
    const busy = overload(look);
    return "budget" in turn && busy ? { why: busy } : turn;
  };
  const turns = here.map((pod) => ({ pod, turn: turnOf(pod) }));
  return {
    ask: turns.flatMap(({ pod, turn }) => ("budget" in turn ? [{ pod, budget: turn.budget }] : [])),
    waiting: turns.flatMap(({ pod, turn }) => ("why" in turn ? [{ pod, why: turn.why }] : [])),
  };
}

/**
 * The pause before an eviction is asked for again: 5 s, 10 s, 20 s, then 30 s, each a fifth shorter or longer.
 * @param attempts answers so far, 1 after the first
 * @param jitter from 0 to 1
 * @param atLeast milliseconds that the server asked for
 */
export function pauseMs(attempts: number, jitter: number, atLeast: number | null): number {
  const plain = Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
  const spread = Math.min(plain * (0.8 + 0.4 * jitter), LONGEST_PAUSE_MS);
  return Math.round(Math.max(spread, atLeast ?? 0));
}

/** One answer, the pod and the budget that it was about. */
export interface Heard {
  readonly uid: string;
  readonly budget: string | null;
  readonly meaning: Meaning;
}

const without = (state: DrainState, uid: string): DrainState => {
  const { [uid]: _gone, ...refused } = state.refused;
  return { ...state, refused };
};

function refusedAgain(state: DrainState, { uid, budget, meaning }: Heard, now: number, jitter: number): DrainState {
  if (meaning.kind === "accepted" || meaning.kind === "gone" || meaning.kind === "overload") return state;
  const attempts = (state.refused[uid]?.attempts ?? 0) + 1;
  const atLeast = meaning.kind === "budget" ? meaning.retryAfterMs : null;
  // A namespace that is being deleted deletes the pod within seconds: a longer pause would only be later.
  const counted = meaning.kind === "namespace-ends" ? 1 : attempts;
  const refusal: Refusal = {
    kind: meaning.kind,
    ...("by" in meaning ? { by: meaning.by } : {}),
    words: meaning.words.slice(0, MOST_WORDS),
    ...(meaning.kind === "budget" && budget ? { budget } : {}),
    attempts,
    nextAt: now + pauseMs(counted, jitter, atLeast),
  };
  return { ...state, refused: { ...state.refused, [uid]: refusal } };
}

/** An overloaded server is left alone by the whole drain; one overload heard of many evictions counts once. */
function overloaded(
  state: DrainState,
  meaning: Meaning & { kind: "overload" },
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
 * Takes an answer into the state of the drain.
 * @param now milliseconds since the epoch
 * @param jitter from 0 to 1, another one for each pod
 */
export function hear(state: DrainState, heard: Heard, now: number, jitter: number): DrainState {
  const { meaning, uid } = heard;
  if (meaning.kind === "overload") return overloaded(state, meaning, now, jitter);
  // Of many asked at once some may be heard although the server is overloaded: its pause stays.
  const isOver = state.overload === null || state.overload.until <= now;
  if (meaning.kind === "accepted") return { ...without(state, uid), ...(isOver ? { overload: null } : {}) };
  return meaning.kind === "gone" ? without(state, uid) : refusedAgain(state, heard, now, jitter);
}

/** Forgets the answers about pods that are not there any more. */
export const onlyOf = (state: DrainState, pods: readonly V1Pod[]): DrainState => {
  const there = new Set(pods.map(uidOf));
  return { ...state, refused: Object.fromEntries(Object.entries(state.refused).filter(([uid]) => there.has(uid))) };
};
