import { counted, some } from "../slack/text.ts";
import { type HoldUp, MOST_NAMES } from "./drain.ts";

/** A pod whose containers did not end within their grace. */
export interface StuckPod {
  /** "shop/web-0" */
  readonly pod: string;
  /** Claims of its volumes. */
  readonly claims: readonly string[];
}

/** Finds the pods whose containers did not end within their grace. */
export const stuckPods = (pods: readonly HoldUp[]): StuckPod[] =>
  pods.flatMap((held) => {
    if (held.kind !== "terminating" || !held.isStuck) return [];
    const { pod, claims = [] } = held;
    return [{ pod, claims }];
  });

const withVolumes = ({ pod, claims }: StuckPod): string =>
  claims.length > 0 ? `${pod} (volumes: ${some(claims, MOST_NAMES)})` : pod;

/** Note on a reboot that no longer waits for pods whose containers do not end. */
export const rebootsWithPods = (pods: readonly StuckPod[]): string =>
  `The reboot ends ${counted(pods.length, "pod")} whose containers did not end within their grace: ${some(pods.map(withVolumes), MOST_NAMES)}`;
