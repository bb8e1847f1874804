import type { Cancel, Clock } from "../core/clock.ts";
import type { Simulation } from "../core/simulation.ts";

interface Timer {
  readonly key: string;
  readonly due: number;
  readonly what: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Handles a timer that is due; must not throw. */
export type TimerHandler = (data: Readonly<Record<string, string>>) => void;

/** Timers that survive a kill of the process: each is stored until it has fired. */
export interface PersistentTimers {
  /** Sets a timer `ms` from now and replaces one with the same key. */
  set(key: string, ms: number, what: string, data: Readonly<Record<string, string>>): void;
  cancel(key: string): void;
  cancelAll(prefix: string): void;
  has(key: string): boolean;
  /** Arms every stored timer again; those that became due in the meantime fire at once. */
  resume(): void;
}

/**
 * Builds timers on the simulator's store.
 * @param name collection that holds the timers
 * @param handlers handler of each kind of timer, by kind
 */
export function persistentTimers(
  simulation: Simulation,
  name: string,
  handlers: Readonly<Record<string, TimerHandler>>,
): PersistentTimers {
  const stored = simulation.store.collection<Timer>(name);
  const armed = new Map<string, Cancel>();
  const clock: Clock = simulation.clock;

  // The timer is deleted in the transaction of its handler: a kill leaves both or neither.
  const fire = (key: string): void =>
    simulation.store.together(() => {
      const timer = stored.get(key);
      armed.delete(key);
      stored.delete(key);
      if (timer) handlers[timer.what]?.(timer.data);
    });
  const cancel = (key: string): void => {
    armed.get(key)?.();
    armed.delete(key);
    stored.delete(key);
  };
  const arm = (key: string, ms: number): void => {
    armed.get(key)?.();
    armed.set(
      key,
      clock.after(ms, () => fire(key)),
    );
  };
  return {
    set: (key, ms, what, data) => {
      stored.set(key, { key, due: clock.now() + ms, what, data });
      arm(key, ms);
    },
    cancel,
    cancelAll: (prefix) => {
      for (const key of stored.keys()) if (key.startsWith(prefix)) cancel(key);
    },
    has: (key) => stored.has(key),
    resume: () => {
      for (const one of stored.values()) arm(one.key, Math.max(0, one.due - clock.now()));
    },
  };
}
