import type { Clock } from "./clock.ts";
import { type Hands, pacedHands } from "./hands-of-clock.ts";
import { type Timers, timers } from "./timers.ts";

/** The sandbox's clock with hands on it: it runs at a pace of the host's, and can be moved forward. */
export interface PacedClock extends Clock {
  speed(): number;
  setSpeed(speed: number): void;
  /**
   * Moves forward, doing everything that becomes due on the way in its order; `settle` lets each of it finish.
   * One move at a time: a second one waits for the first. A clock that is stopped meanwhile stays where it is.
   */
  advance(ms: number, settle: () => Promise<void>): Promise<void>;
  /** What the host's clock will say at a moment of the sandbox, at the present pace. */
  hostTime(sandboxMs: number): number;
  /** Stands still from now on and forgets what was to be done. */
  stop(): void;
}

/** Node turns a longer timeout into one millisecond (Node documentation, setTimeout). */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The host's timer that wakes the clock when the next thing is due. */
function alarm(hands: Hands, due: Timers) {
  let wake: NodeJS.Timeout | undefined;
  const disarm = (): void => clearTimeout(wake);
  const arm = (): void => {
    disarm();
    const next = due.next();
    if (next === undefined) return;
    const wait = Math.ceil((next - hands.now()) / hands.speed());
    wake = setTimeout(ring, Math.min(Math.max(0, wait), LONGEST_TIMEOUT_MS));
  };
  const ring = (): void => {
    due.run(hands.now());
    arm();
  };
  return { arm, disarm };
}

async function moveTo(target: number, hands: Hands, due: Timers, settle: () => Promise<void>): Promise<void> {
  await settle();
  for (let next = due.next(); next !== undefined && next <= target; next = due.next()) {
    hands.moveTo(next);
    due.run(hands.now());
    await settle();
  }
}

/**
 * The one place under lib/sandbox that sets the host's timers, and with its hands the one that reads the host's clock:
 * everything else asks this.
 * @param start the sandbox's time to begin at, in milliseconds since the epoch
 * @param speed how many times faster than the host it runs
 * @param reach is told how far time may have come before it has: the next run begins there
 */
export function pacedClock(start: number, speed: number, reach: (time: number) => void = () => undefined): PacedClock {
  const hands = pacedHands(start, speed, reach);
  const due = timers();
  const { arm, disarm } = alarm(hands, due);
  let state: "running" | "moving" | "stopped" = "running";
  let moves = Promise.resolve();

  const rearm = (): void => {
    if (state === "running") arm();
  };
  const move = async (ms: number, settle: () => Promise<void>): Promise<void> => {
    if (state === "stopped") return;
    state = "moving";
    disarm();
    hands.hold();
    const target = hands.now() + ms;
    await moveTo(target, hands, due, settle).finally(() => arrive(target));
  };
  const arrive = (target: number): void => {
    if (state === "stopped") return;
    state = "running";
    hands.moveTo(target);
    hands.release();
    arm();
  };

  return {
    now: () => Math.floor(hands.now()),
    after: (ms, what) => {
      const cancel = due.add(hands.now() + Math.max(0, ms), what);
      rearm();
      return cancel;
    },
    speed: hands.speed,
    setSpeed: (next) => {
      hands.setSpeed(next);
      rearm();
    },
    advance: (ms, settle) => {
      const moved = moves.then(() => move(ms, settle));
      moves = moved.catch(() => undefined);
      return moved;
    },
    hostTime: (sandboxMs) => Date.now() + (sandboxMs - hands.now()) / hands.speed(),
    stop: () => {
      state = "stopped";
      disarm();
      hands.hold();
      due.clear();
      reach(Math.ceil(hands.now()));
    },
  };
}
