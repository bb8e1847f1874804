import type { Activity } from "../lib/sandbox/core/activity.ts";

/** Milliseconds without a move after which running work must be waiting for time: a request over loopback takes less. */
const STILL_MS = 3;

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, STILL_MS));

/**
 * Lets everything finish that needs no time, before time that is moved by hand goes on.
 * @param requests what the simulator answers; it is waited for
 * @param invocations handlers that run: they are waited for until they wait themselves, for time or for one another
 */
export const settling = (requests: Activity, invocations: Activity) => async (): Promise<void> => {
  await requests.settled();
  const moves = (): number => invocations.standing().moves + requests.standing().moves;
  for (let before = -1; invocations.standing().underWay > 0 && moves() !== before; ) {
    before = moves();
    await pause();
  }
};
