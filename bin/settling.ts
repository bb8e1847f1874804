import type { Activity } from "../lib/sandbox/core/activity.ts";

/** Milliseconds without activity after which running work must wait for time: a request over loopback takes less. */
const STILL_MS = 3;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, STILL_MS));

/**
 * Waits for all work that needs no time, before manually moved time goes on.
 * @param requests the simulator's running requests, which must end
 * @param invocations running handlers, which must end or wait for time or for one another
 */
export const settling = (requests: Activity, invocations: Activity) => async (): Promise<void> => {
  await requests.settled();
  const moves = (): number => invocations.standing().moves + requests.standing().moves;
  for (let before = -1; invocations.standing().underWay > 0 && moves() !== before; ) {
    before = moves();
    await pause();
  }
};
