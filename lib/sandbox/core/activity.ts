/** Counts what is under way: requests between handlers and simulator, and work that no timer shows. */
export interface Activity {
  /** Counts the promise until it has settled; returns the same promise. */
  during<T>(work: Promise<T>): Promise<T>;
  /** Counts the promise as a wait for the clock: while it lasts, one piece of work under way holds up nothing. Returns the same promise. */
  waiting<T>(work: Promise<T>): Promise<T>;
  /** Resolves once nothing moves any more unless time does. */
  settled(): Promise<void>;
  /** Amount of work under way, and a number that rises with each beginning and end. */
  standing(): { readonly underWay: number; readonly moves: number };
}

/** Turns of the event loop without anything under way that count as quiet: a promise chain is done within one. */
const QUIET_TURNS = 4;

/** Turns without any beginning or end while something is under way: then it waits for the clock (a handler's own pause). */
const STUCK_TURNS = 400;

/**
 * … and so long in the host's time: a file that is read on another thread must not be taken for a pause. Each timer that
 * ends while a handler pauses costs this much, so a handler that retries for an hour decides how long its journey takes.
 */
const STUCK_MS = 25;

/** A turn of the event loop takes no time: it is where promises and answers of this process get their chance. */
// biome-ignore lint/plugin: setImmediate is no timer
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Builds a counter at zero.
 * @param hostNow the host's milliseconds, which go on while the sandbox's clock is stopped
 */
// biome-ignore lint/plugin: this reads the host process, not the sandbox
export function activity(hostNow: () => number = () => performance.now()): Activity {
  let underWay = 0;
  let waits = 0;
  let moves = 0;
  const isStill = (turns: number, ms: number): boolean =>
    underWay <= waits ? turns >= QUIET_TURNS : turns >= STUCK_TURNS && ms >= STUCK_MS;
  const settled = async (): Promise<void> => {
    let [seen, turns, since] = [moves, 0, hostNow()];
    while (!isStill(turns, hostNow() - since)) {
      await turn();
      turns += 1;
      if (moves !== seen) [seen, turns, since] = [moves, 0, hostNow()];
    }
  };
  return {
    during: async (work) => {
      underWay += 1;
      moves += 1;
      try {
        return await work;
      } finally {
        underWay -= 1;
        moves += 1;
      }
    },
    waiting: async (work) => {
      waits += 1;
      moves += 1;
      try {
        return await work;
      } finally {
        waits -= 1;
        moves += 1;
      }
    },
    settled,
    standing: () => ({ underWay, moves }),
  };
}
