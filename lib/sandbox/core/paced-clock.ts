import { turn } from "./activity.ts";
import type { Clock } from "./clock.ts";
import { scaledTime, type TimeSource } from "./time-source.ts";
import { type Timers, timers } from "./timers.ts";

/** The sandbox's clock: it runs at a multiple of the host's speed, and can be moved forward. */
export interface PacedClock extends Clock {
  speed(): number;
  setSpeed(speed: number): void;
  /**
   * Moves forward, doing everything that becomes due on the way in its order; `settle` lets each of it finish.
   * One move at a time: a second one waits for the first. A clock that is stopped meanwhile stays where it is.
   */
  advance(ms: number, settle: () => Promise<void>): Promise<void>;
  /** Stands still, and does nothing that is due, until the returned function is called or time is moved. */
  hold(): () => void;
  /** Time that the host's clock will show at a moment of the sandbox, at the present pace. */
  hostTime(sandboxMs: number): number;
  /** Stands still from now on and forgets what was to be done. */
  stop(): void;
}

/** Node turns a longer timeout into one millisecond (Node documentation, setTimeout). */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The shortest delay, as Node's own setTimeout has it: what arms itself again for the past cannot hold up time. */
const SHORTEST_MS = 1;

/** So much of the host's time it may be late and still catch up; beyond it the sandbox's time falls back (assumed). */
const CATCH_UP_MS = 250;

/**
 * Lead of the promised time over the present: a second of the host, which is one write in the memory a second, and at most half a
 * minute of the sandbox's time, which is what a process that is killed loses.
 */
const AHEAD = { hostMs: 1_000, sandboxMs: 30_000 };

/**
 * Time as it is shown: it never passes what is due and has not happened yet. On a host that is late, things happen at
 * their own moments all the same, and so in their order: what takes three seconds is over before what takes six.
 * @param saveTime is called with a time before any later one is shown, so that the next run never starts earlier
 */
function shownTime(time: TimeSource, due: Timers, saveTime: (time: number) => void) {
  /** The moment whose timers run now. */
  let present: number | undefined;
  let saved = time.now();
  const now = (): number => {
    const moment = present ?? Math.min(time.now(), due.next() ?? Number.POSITIVE_INFINITY);
    if (moment > saved) {
      saved = Math.floor(moment + Math.min(AHEAD.hostMs * time.speed(), AHEAD.sandboxMs));
      saveTime(saved);
    }
    return moment;
  };
  return {
    now,
    /** Does what is due up to a moment that may move on, for as long as it is asked to. */
    pass: async (until: () => number, goesOn: () => boolean, settle: () => Promise<void>): Promise<void> => {
      for (let next = due.next(); next !== undefined && next <= until() && goesOn(); next = due.next()) {
        present = next;
        due.run(next);
        await settle();
      }
    },
    stay: (moment: number | undefined): void => {
      present = moment;
    },
  };
}

/** The host's timer that wakes the clock when the next thing is due, for as long as the clock runs by itself. */
function alarm(time: TimeSource, due: Timers, shown: ReturnType<typeof shownTime>, runs: () => boolean) {
  let wake: NodeJS.Timeout | undefined;
  let ringing = false;
  const disarm = (): void => clearTimeout(wake);
  const arm = (): void => {
    disarm();
    const next = due.next();
    if (next === undefined || ringing || !runs()) return;
    const wait = Math.ceil((next - time.now()) / time.speed());
    wake = setTimeout(() => void ring(), Math.min(Math.max(0, wait), LONGEST_TIMEOUT_MS));
  };
  const ring = async (): Promise<void> => {
    ringing = true;
    if (time.now() - shown.now() > CATCH_UP_MS * time.speed()) time.fallBackTo(shown.now());
    await shown.pass(time.now, runs, turn);
    ringing = false;
    if (runs()) shown.stay(undefined);
    arm();
  };
  return { arm, disarm };
}

/**
 * The one place under lib/sandbox that sets the host's timers, and with its time source the one that reads the host's
 * clock: everything else uses this clock.
 * @param start the sandbox's time to begin at, in milliseconds since the epoch
 * @param speed how many times faster than the host it runs
 * @param saveTime is told how far time may have come before it has: the next run begins there
 */
export function pacedClock(
  start: number,
  speed: number,
  saveTime: (time: number) => void = () => undefined,
): PacedClock {
  const time = scaledTime(start, speed);
  const due = timers();
  const shown = shownTime(time, due, saveTime);
  let state: "running" | "held" | "moving" | "stopped" = "running";
  let moves = Promise.resolve();

  const { arm, disarm } = alarm(time, due, shown, () => state === "running");
  const arrive = (target: number): void => {
    if (state === "stopped") return;
    state = "running";
    shown.stay(undefined);
    time.moveTo(target);
    time.release();
    arm();
  };
  const stand = (as: "held" | "moving" | "stopped"): void => {
    state = as;
    disarm();
    shown.stay(shown.now());
    time.hold();
  };
  const move = async (ms: number, settle: () => Promise<void>): Promise<void> => {
    if (state === "stopped") return;
    const target = shown.now() + ms;
    stand("moving");
    await settle();
    const moving = (): boolean => state === "moving";
    await shown.pass(() => target, moving, settle).finally(() => arrive(target));
  };

  return {
    now: () => Math.floor(shown.now()),
    after: (ms, what) => {
      const cancel = due.add(shown.now() + Math.max(SHORTEST_MS, ms), what);
      arm();
      return cancel;
    },
    speed: time.speed,
    setSpeed: (next) => {
      if (state === "running") time.fallBackTo(shown.now());
      time.setSpeed(next);
      arm();
    },
    advance: (ms, settle) => {
      const moved = moves.then(() => move(ms, settle));
      moves = moved.catch(() => undefined);
      return moved;
    },
    hold: () => {
      if (state === "running") stand("held");
      return () => {
        if (state === "held") arrive(shown.now());
      };
    },
    hostTime: (sandboxMs) => Date.now() + (sandboxMs - shown.now()) / time.speed(),
    stop: () => {
      stand("stopped");
      due.clear();
      saveTime(Math.ceil(shown.now()));
    },
  };
}
