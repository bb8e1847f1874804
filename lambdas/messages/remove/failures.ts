import { code, counted, some } from "../slack/text.ts";

/** Pods named in a line; the rest is counted. */
const MOST_NAMES = 3;

/** Pods that a removal waits for while they terminate: "2 pods to terminate (a/b, c/d)". */
export const podsToLeave = (names: readonly string[]): string =>
  `${counted(names.length, "pod")} to terminate (${some(names, MOST_NAMES)})`;

/** A pod that was not evicted, and the API server's reason. */
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
  blocked: (pods) => `disruption budgets to allow the eviction of ${counted(pods.length, "pod")} (${reasons(pods)})`,
  unanswered: (pods) => `the API server to evict ${counted(pods.length, "pod")} (${reasons(pods)})`,
};

/** Pods that a removal waits for while budgets block it or the API server accepts no eviction; one pod at least. */
export const podsHeldUp = (pods: readonly HeldUp[]): string =>
  (["blocked", "unanswered"] as const)
    .map((by) => ({ by, held: pods.filter((pod) => pod.by === by) }))
    .flatMap(({ by, held }) => (held.length > 0 ? [waits[by](held)] : []))
    .join(" and ");

/** Pods that were scheduled on the node after its drain. */
export const podsCameBack = (names: readonly string[]): string =>
  `${counted(names.length, "pod")} started on the node after it was drained (${some(names, MOST_NAMES)}); it may have been uncordoned`;

/** State that a failed or cancelled removal leaves, as a clause. */
export const removalLeaves = {
  untouched: "nothing was changed",
  cordoned: (node: string, why: string): string =>
    `the node is still cordoned, because ${why}; ${code(`kubectl uncordon ${node}`)} makes it schedulable now, and the sweep does within 15 minutes if it can`,
  terminating: (instanceId: string): string =>
    `EC2 is terminating ${code(instanceId)}; its Node stays until the cluster deletes it`,
} as const;

/** Reason why a dialog was not confirmed. */
export type Unconfirmed = "closed" | "cancel" | "time";

/** Outcome of a removal that was not confirmed. */
export const unconfirmed: Readonly<Record<Unconfirmed, string>> = {
  closed: "The dialog was closed. Nothing was changed.",
  cancel: "Cancelled. Nothing was changed.",
  time: "The dialog timed out. Nothing was changed.",
};
