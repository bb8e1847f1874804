import { code, counted, some } from "../slack/text.ts";

/** Pods named in a line; the rest is counted. */
const MOST_NAMES = 3;

/** Pods that a removal waits for while they are still on their way out: "2 pods to leave (a/b, c/d)". */
export const podsToLeave = (names: readonly string[]): string =>
  `${counted(names.length, "pod")} to leave (${some(names, MOST_NAMES)})`;

/** A pod that was not evicted: by whom it is held up, and in whose words. */
export interface HeldUp {
  readonly name: string;
  readonly by: "blocked" | "unanswered";
  readonly why: string;
}

const reasons = (pods: readonly HeldUp[]): string =>
  some(
    pods.map(({ name, why }) => `${name}: ${why.replace(/\.$/, "")}`),
    MOST_NAMES,
  );

const waits: Readonly<Record<HeldUp["by"], (pods: readonly HeldUp[]) => string>> = {
  blocked: (pods) => `disruption budgets to let ${counted(pods.length, "pod")} go (${reasons(pods)})`,
  unanswered: (pods) => `the API server to evict ${counted(pods.length, "pod")} (${reasons(pods)})`,
};

/** Pods that a removal waits for while budgets block it or the API server takes no eviction; one pod at least. */
export const podsHeldUp = (pods: readonly HeldUp[]): string =>
  (["blocked", "unanswered"] as const)
    .map((by) => ({ by, held: pods.filter((pod) => pod.by === by) }))
    .flatMap(({ by, held }) => (held.length > 0 ? [waits[by](held)] : []))
    .join(" and ");

/** Pods that were scheduled again on the node they had left. */
export const podsCameBack = (names: readonly string[]): string =>
  `${counted(names.length, "pod")} came to the node after it was emptied (${some(names, MOST_NAMES)}): did somebody uncordon it?`;

/** State that is left by a removal that came to nothing. */
export const removalLeaves = {
  untouched: "nothing was changed",
  asCordonedAsBefore: "the node is cordoned, as it was before",
  schedulable: "the node is schedulable again; pods that were evicted do not come back by themselves",
  cordoned: (node: string, why: string): string =>
    `the node is still cordoned, because ${why}; ${code(`kubectl uncordon ${node}`)} opens it to pods again`,
  terminating: (instanceId: string): string =>
    `EC2 was told to terminate ${code(instanceId)}; its Node stays until the cluster notices`,
} as const;

/** Reason why a dialog was not confirmed. */
export type Unconfirmed = "closed" | "cancel" | "time";

/** Outcome of a removal that nobody confirmed. */
export const unconfirmed: Readonly<Record<Unconfirmed, string>> = {
  closed: "The dialog was closed. Nothing was changed.",
  cancel: "Cancelled before anything was changed.",
  time: "Nobody answered the dialog in time. Nothing was changed.",
};
