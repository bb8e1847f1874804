import type { FailureCode } from "../../records/failures.ts";
import { counted, some } from "../slack/text.ts";

/** Most pods named in a line. */
export const MOST_NAMES = 3;

/** Refuser of an eviction, other than a disruption budget. */
export type RefusedBy = "rbac" | "policy" | "webhook" | "unconfirmed" | "namespace" | "request";

/** A pod that is still on the node, and the reason. */
export type HoldUp = { readonly pod: string } & (
  | {
      readonly kind: "budget";
      readonly budget: string;
      readonly needs: number;
      readonly has: number;
      /** The budget needs every healthy pod, so it never allows an eviction. */
      readonly isForever: boolean;
      readonly wantsAlwaysAllow: boolean;
      /** Pods of the same budget that are terminating on the node. */
      readonly terminating: readonly string[];
    }
  /**
   * The API server refused the eviction for a budget, but the budgets could not be read or allowed it a moment before.
   */
  | { readonly kind: "budget-says"; readonly why: string }
  | { readonly kind: "several-budgets"; readonly budgets: readonly string[] }
  | { readonly kind: "processing"; readonly budget: string }
  | { readonly kind: "uncomputable"; readonly budget: string; readonly why: string }
  | { readonly kind: "held"; readonly annotation: string; readonly runningMs: number | null }
  | { readonly kind: "refused"; readonly by: RefusedBy; readonly why: string }
  | { readonly kind: "unanswered"; readonly why: string }
  | { readonly kind: "namespace" }
  | {
      readonly kind: "terminating";
      readonly overMs: number;
      readonly isStuck: boolean;
      /** Finalizers that keep the pod once its containers have ended, and the claims of its volumes. */
      readonly finalizers?: readonly string[];
      readonly claims?: readonly string[];
    }
  | { readonly kind: "turn" }
);

type Kind = HoldUp["kind"];
type Of<K extends Kind> = Extract<HoldUp, { readonly kind: K }>;

const nameOf = (budget: string): string => budget.split("/").at(-1) ?? budget;

/** Reason why one pod is still there, in the API server's words if it gave any. */
const reasons: { readonly [K in Kind]: (of: Of<K>) => string } = {
  budget: ({ budget, needs, has }) =>
    `The disruption budget ${nameOf(budget)} needs ${needs} healthy pods and has ${has} currently`,
  "budget-says": ({ why }) => why,
  "several-budgets": ({ budgets }) =>
    budgets.length > 0
      ? `it has ${budgets.length} disruption budgets: ${budgets.join(", ")}`
      : "it has several disruption budgets",
  processing: ({ budget }) => `The disruption budget ${nameOf(budget)} is still being processed by the server`,
  uncomputable: ({ budget, why }) => `The disruption budget ${nameOf(budget)} cannot be computed: ${why}`,
  held: ({ annotation }) => annotation,
  refused: ({ why }) => why,
  unanswered: ({ why }) => why,
  namespace: () => "its namespace is being deleted",
  terminating: () => "",
  turn: () => "",
};

const reasonOf = (held: HoldUp): string => (reasons[held.kind] as (of: HoldUp) => string)(held).replace(/\.$/, "");

const named = (pods: readonly HoldUp[]): string =>
  some(
    pods.map(({ pod }) => pod),
    MOST_NAMES,
  );

/** Pods with their reasons; those that share one follow each other, with the reason once. */
const withReasons = (pods: readonly HoldUp[]): string =>
  [...Map.groupBy(pods, reasonOf)].map(([reason, those]) => `${named(those)}: ${reason}`).join("; ");

const refusers: Readonly<Record<RefusedBy, string>> = {
  rbac: "the right to evict",
  policy: "an admission policy to allow the eviction of",
  webhook: "an admission webhook to allow the eviction of",
  unconfirmed: "a disruption budget with over 2,000 unconfirmed evictions to allow the eviction of",
  namespace: "a namespace to delete",
  request: "the API server to accept the eviction of",
};

const isRefusedBy =
  (by: RefusedBy) =>
  (held: HoldUp): boolean =>
    held.kind === "refused" && held.by === by;

const isOf =
  (...kinds: readonly Kind[]) =>
  (held: HoldUp): boolean =>
    kinds.includes(held.kind);

/** Kinds of waits in the order in which they are named: those that need a person come first. */
const waits: readonly (readonly [(held: HoldUp) => boolean, (pods: readonly HoldUp[]) => string])[] = [
  [
    isOf("budget", "budget-says", "several-budgets", "processing", "uncomputable"),
    (pods) => `disruption budgets to allow the eviction of ${counted(pods.length, "pod")} (${withReasons(pods)})`,
  ],
  ...(Object.keys(refusers) as RefusedBy[]).map(
    (by) =>
      [
        isRefusedBy(by),
        (pods: readonly HoldUp[]) => `${refusers[by]} ${counted(pods.length, "pod")} (${withReasons(pods)})`,
      ] as const,
  ),
  [isOf("unanswered"), (pods) => `the API server to evict ${counted(pods.length, "pod")} (${withReasons(pods)})`],
  [isOf("held"), (pods) => `${counted(pods.length, "pod")} to end that must not be interrupted (${withReasons(pods)})`],
  [isOf("namespace"), (pods) => `their namespaces to delete ${counted(pods.length, "pod")} (${named(pods)})`],
  [
    (held) => held.kind === "terminating" && held.isStuck,
    (pods) => `${counted(pods.length, "pod")} stuck terminating (${named(pods)})`,
  ],
];

const isNamed = (held: HoldUp): boolean => waits.some(([is]) => is(held));

/**
 * Names what a drain waits for, in words that follow "waiting for". Pods that are only terminating are named if nothing
 * else is.
 * @param pods one at least
 */
export function drainWaits(pods: readonly HoldUp[]): string {
  const held = waits.flatMap(([is, words]) => {
    const those = pods.filter(is);
    return those.length > 0 ? [words(those)] : [];
  });
  if (held.length > 0) return held.join(" and ");
  const rest = pods.filter((pod) => !isNamed(pod));
  return `${counted(rest.length, "pod")} to terminate (${named(rest)})`;
}

/**
 * Failure codes of hold-ups, the most important first. A pod that does not end decides what becomes of its node: the node stays
 * cordoned, and a reboot may end the pod.
 */
const holdUpCodes: readonly (readonly [FailureCode, (held: HoldUp) => boolean])[] = [
  ["pod-stuck", (held) => held.kind === "terminating" && held.isStuck],
  ["eviction-forbidden", isRefusedBy("rbac")],
  ["eviction-denied", (held) => isRefusedBy("policy")(held) || isRefusedBy("webhook")(held)],
  ["eviction-unanswered", isOf("unanswered")],
  ["pod-must-not-be-interrupted", isOf("held")],
  ["budget-allows-none", (held) => held.kind === "several-budgets" || (held.kind === "budget" && held.isForever)],
];

/**
 * Failure code of a drain that has passed its deadline. Budgets that allow an eviction later, and pods that are only
 * terminating, have no code of their own.
 */
export const codeOfHoldUps = (pods: readonly HoldUp[]): FailureCode =>
  holdUpCodes.find(([, is]) => pods.some(is))?.[0] ?? "deadline-passed";

/** Names the wait until load balancers send no new connections and the open ones have ended. */
export const connectionsToEnd = "connections from load balancers to end";

/** A pod that the drain may not evict: its loss is not allowed by the options, or its DaemonSet cannot be read. */
export interface DrainRefusal {
  readonly pod: string;
  readonly reason:
    | "daemonset-managed"
    | "daemonset-orphaned"
    | "daemonset-unreadable"
    | "empty-dir"
    | "job-unreadable"
    | "kept-by-finalizer"
    | "uncertain-owner"
    | "unmanaged";
  readonly detail: string;
}

const refusalGroups: Readonly<Record<DrainRefusal["reason"], (pods: string) => string>> = {
  unmanaged: (pods) => `nothing recreates ${pods}: --force evicts them`,
  "uncertain-owner": (pods) => `the owner of ${pods} may not create another pod: --force evicts them`,
  "empty-dir": (pods) => `local data of ${pods} would be lost: --force evicts them`,
  "daemonset-orphaned": (pods) => `the DaemonSet of ${pods} no longer exists: --force evicts them`,
  "daemonset-unreadable": (pods) => `the DaemonSet of ${pods} could not be read`,
  "job-unreadable": (pods) => `the Job of ${pods} could not be read`,
  "kept-by-finalizer": (pods) => `only a finalizer keeps ${pods}`,
  "daemonset-managed": (pods) => `a DaemonSet manages ${pods}`,
};

/** Refusals that `--force` overrides. */
const forceable: ReadonlySet<DrainRefusal["reason"]> = new Set([
  "unmanaged",
  "uncertain-owner",
  "empty-dir",
  "daemonset-orphaned",
]);

/** Does `--force` override the refusal? */
export const isForceable = ({ reason }: Pick<DrainRefusal, "reason">): boolean => forceable.has(reason);

/**
 * Reason why a drain evicts nothing: the pods grouped by reason, each with the option that would allow it.
 * @param forced the whole command with that option, in a code span; null where the reader already sees the command
 */
export function drainRefused(refusals: readonly DrainRefusal[], forced: string | null = null): string {
  const grouped = Object.entries(refusalGroups).flatMap(([reason, words]) => {
    const pods = refusals.filter((refusal) => refusal.reason === reason);
    if (pods.length === 0) return [];
    return [
      words(
        some(
          pods.map(({ pod, detail }) => (detail ? `${pod} (${detail})` : pod)),
          MOST_NAMES,
        ),
      ),
    ];
  });
  const next = forced !== null && refusals.some(isForceable) ? `. Next: ${forced}` : "";
  return `nothing was evicted: ${grouped.join("; ")}${next}`;
}

/** Failure of a drain whose node was uncordoned before the drain ended. */
export const uncordonedMeanwhile = (node: string): string =>
  `${node} is no longer cordoned: it may have been uncordoned by a person or another controller during the drain`;

/** Names the wait for pods that were bound to the node before it was cordoned. */
export const latePods = "pods that may still come";

/** Names the wait for volumes of evicted pods to detach. */
export const volumesToDetach = (volumes: readonly string[]): string =>
  `${counted(volumes.length, "volume")} to detach from the node (${some(volumes, MOST_NAMES)})`;

/** Note on a drain whose volumes may still be attached. */
export const volumesLeft = (
  left: { readonly attached: readonly string[] } | { readonly unreadable: string },
): string =>
  "unreadable" in left
    ? `whether volumes are still attached to the node could not be read (${left.unreadable})`
    : `${counted(left.attached.length, "volume")} still attached to the node after its drain (${some(left.attached, MOST_NAMES)})`;

/** Note on finished pods that stay on a drained node. @param pods each with its finalizers: "shop/web-0 (example.com/held)" */
export const finishedStay = (pods: readonly string[]): string =>
  `${counted(pods.length, "finished pod")} ${pods.length === 1 ? "stays" : "stay"} on the node, because only a finalizer keeps ${pods.length === 1 ? "it" : "them"}: ${some(pods, MOST_NAMES)}`;

/** Names the wait for an API server that stopped answering during a drain. */
export const unansweredDrain = (why: string): string => `the API server to answer (${why})`;

/** Failure of a drain after which pods started on the node. */
export const podsCameBack = (names: readonly string[]): string =>
  `${counted(names.length, "pod")} started on the node after it was drained (${some(names, MOST_NAMES)}); it may have been uncordoned`;
