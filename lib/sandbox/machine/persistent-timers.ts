import type { Cancel, Clock } from "../core/clock.ts";
import type { Foundation } from "../core/foundation.ts";

interface Timer {
  readonly key: string;
  readonly due: number;
  readonly what: string;
  readonly data: Readonly<Record<string, string>>;
}

/** Action for an appointment that is due; must not throw. */
export type TimerHandler = (data: Readonly<Record<string, string>>) => void;

/** Timers that survive a kill of the process: each lies in the store until it has happened. */
export interface PersistentTimers {
  /** Replaces an appointment of the same key. `ms` counts from now. */
  set(key: string, ms: number, what: string, data: Readonly<Record<string, string>>): void;
  cancel(key: string): void;
  cancelAll(prefix: string): void;
  has(key: string): boolean;
  /** Arms again everything that lies in the store; what was due meanwhile happens at once. */
  resume(): void;
}

/**
 * Builds an agenda on the ground's store.
 * @param name the collection that holds it
 * @param duties what each kind of appointment does, by its name
 */
export function persistentTimers(
  foundation: Foundation,
  name: string,
  handlers: Readonly<Record<string, TimerHandler>>,
): PersistentTimers {
  const stored = foundation.store.collection<Timer>(name);
  const armed = new Map<string, Cancel>();
  const clock: Clock = foundation.clock;

  // An appointment is gone together with what it brought about: a kill leaves both or neither.
  const fire = (key: string): void =>
    foundation.store.together(() => {
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
