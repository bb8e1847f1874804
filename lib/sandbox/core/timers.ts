import type { Cancel } from "./clock.ts";

/** Something to do at a moment of the sandbox's time. */
interface Timer {
  readonly due: number;
  readonly order: number;
  readonly what: () => void;
}

/** Tasks in the order of their time; at the same moment, the one asked for first comes first. */
export interface Timers {
  add(due: number, what: () => void): Cancel;
  /** Time of the next task; undefined when there is none. */
  next(): number | undefined;
  /** Does everything that is due up to a moment, and what this brings about up to the same moment. */
  run(until: number): void;
  clear(): void;
}

const before = (one: Timer, other: Timer): boolean =>
  one.due < other.due || (one.due === other.due && one.order < other.order);

/** Builds an empty list of things to do. */
export function timers(): Timers {
  const waiting = new Set<Timer>();
  let order = 0;

  const earliest = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const timer of waiting) if (!first || before(timer, first)) first = timer;
    return first;
  };
  return {
    add: (due, what) => {
      order += 1;
      const timer = { due, order, what };
      waiting.add(timer);
      return () => void waiting.delete(timer);
    },
    next: () => earliest()?.due,
    run: (until) => {
      for (let timer = earliest(); timer && timer.due <= until; timer = earliest()) {
        waiting.delete(timer);
        timer.what();
      }
    },
    clear: () => waiting.clear(),
  };
}
