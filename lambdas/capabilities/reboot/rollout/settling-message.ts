import { utc } from "../../../messages/slack/age.ts";
import { some } from "../../../messages/slack/text.ts";

/** A workload with fewer ready pods than before its node was emptied. */
export interface LessToShow {
  /** "shop/ReplicaSet cart-5d9f" */
  readonly workload: string;
  /** Ready pods before. */
  readonly ready: number;
  readonly now: number;
  /** Milliseconds since the epoch: the rollout continues then in any case. */
  readonly until: number;
}

/** Workloads that the sentence names; the rest is counted. */
const MOST = 3;

/** Says what a rollout waits for before it begins its next node. */
export function settlingWords(less: readonly LessToShow[]): string {
  const named = less.map(({ workload, ready, now }) => `${workload} (${now} of ${ready} pods ready)`);
  const until = new Date(Math.max(...less.map((one) => one.until))).toISOString();
  return `The next node waits until evicted pods are ready elsewhere as before: ${some(named, MOST)}. It is begun at ${utc(until)} at the latest.`;
}
