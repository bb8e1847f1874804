import type { Clock } from "../../core/clock.ts";

/** Requests that the controller manager's clients may send: kube-api-qps and kube-api-burst, for each controller by itself. */
const REQUESTS_A_SECOND = 20;
const BURST = 30;

/** Limit of a controller's requests to the API server. */
export interface ClientLimit {
  /** Time of the next request (ms of sandbox time): in the past while one may be sent now. */
  readonly freeAt: () => number;
  /** Counts one request. */
  readonly take: () => void;
}

/** Makes a limit of its own for one controller; it begins with its whole burst. */
export function clientLimit(clock: Clock): ClientLimit {
  const apart = 1_000 / REQUESTS_A_SECOND;
  let next = clock.now() - BURST * apart;
  const due = (): number => Math.max(next, clock.now() - (BURST - 1) * apart);
  return {
    freeAt: due,
    take: () => {
      next = due() + apart;
    },
  };
}
