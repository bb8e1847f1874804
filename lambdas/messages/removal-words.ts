import { code, counted, some } from "./text.ts";

/** Pods named in a line; the rest is counted. */
const MOST_NAMES = 3;

/** What a removal waits for while pods are still on their way out: "2 pods to leave (a/b, c/d)". */
export const podsToLeave = (names: readonly string[]): string =>
  `${counted(names.length, "pod")} to leave (${some(names, MOST_NAMES)})`;

/** A pod that may not be evicted, and the budget's own words. */
export interface BlockedPod {
  readonly name: string;
  readonly why: string;
}

/** What a removal waits for while budgets block it. */
export const budgetsToAllow = (pods: readonly BlockedPod[]): string =>
  `disruption budgets to let ${counted(pods.length, "pod")} go (${some(
    pods.map(({ name, why }) => `${name}: ${why.replace(/\.$/, "")}`),
    MOST_NAMES,
  )})`;

/** Pods that were scheduled again on the node they had left. */
export const podsCameBack = (names: readonly string[]): string =>
  `${counted(names.length, "pod")} came to the node after it was emptied (${some(names, MOST_NAMES)}): did somebody uncordon it?`;

/** What a removal that came to nothing leaves behind. */
export const removalLeaves = {
  untouched: "nothing was changed",
  asCordonedAsBefore: "the node is cordoned, as it was before",
  schedulable: "the node is schedulable again; pods that were evicted do not come back by themselves",
  cordoned: (node: string, why: string): string =>
    `the node is still cordoned, because ${why}; ${code(`kubectl uncordon ${node}`)} opens it to pods again`,
  terminating: (instanceId: string): string =>
    `EC2 was told to terminate ${code(instanceId)}; its Node stays until the cluster notices`,
} as const;

/** Why a dialog was not confirmed. */
export type Unconfirmed = "closed" | "cancel" | "time";

/** What became of a removal that nobody confirmed. */
export const unconfirmed: Readonly<Record<Unconfirmed, string>> = {
  closed: "The dialog was closed. Nothing was changed.",
  cancel: "Cancelled before anything was changed.",
  time: "Nobody answered the dialog in time. Nothing was changed.",
};
