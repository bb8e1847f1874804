import type { Simulation } from "../../core/simulation.ts";
import type { Collection } from "../../core/store.ts";
import type { Event } from "./pattern.ts";

/** Receives an event that a rule sends to the target; a rejected promise is a failed delivery. */
export type Target = (event: Event, rule: string) => Promise<void>;

/** One event on its way to one target. */
export interface Delivery {
  readonly id: string;
  readonly rule: string;
  readonly target: string;
  readonly event: Event;
  /** Time at which it was accepted, in milliseconds. */
  readonly acceptedAt: number;
  attempts: number;
  /** Time of the next attempt, in milliseconds. */
  dueAt: number;
}

/** A delivery that EventBridge gave up on. */
export interface DeadLetter {
  readonly delivery: Delivery;
  readonly error: string;
}

/** Delivers events to targets, at least once, in no certain order. */
export interface Deliveries {
  send(rule: string, target: string, event: Event): void;
  deadLetters(): DeadLetter[];
  /** Resumes everything that was under way, after a restart of the process. */
  resume(): void;
}

/** User Guide, "How EventBridge retries delivering events": 24 hours and up to 185 times, with growing delays. */
const LONGEST = 24 * 3_600_000;
const MOST_ATTEMPTS = 185;
/** First and longest pause between attempts; assumed, the page names none. */
const PAUSE = 1_000;
const LONGEST_PAUSE = 10 * 60_000;

/** Usual and late delivery in milliseconds, and how often an event is late or comes twice: all assumed. */
const USUAL = [200, 2_000] as const;
const LATE = [5_000, 20_000] as const;
const LATE_RATE = 0.05;
const TWICE_RATE = 0.02;

/** Builds the deliveries; `targets` are looked up when an event is due, so they may be added later. */
export function deliveries(simulation: Simulation, targets: Readonly<Record<string, Target>>): Deliveries {
  const { clock, random, store } = simulation;
  const waiting: Collection<Delivery> = store.collection("events-deliveries");
  const dead: Collection<DeadLetter> = store.collection("events-dead-letters");

  const delay = (): number => {
    const [least, most] = random.next() < LATE_RATE ? LATE : USUAL;
    return random.between(least, most);
  };

  const giveUp = (delivery: Delivery, error: unknown): void => {
    waiting.delete(delivery.id);
    dead.set(delivery.id, { delivery, error: String(error) });
  };

  const again = (delivery: Delivery, error: unknown): void => {
    const pause = Math.min(LONGEST_PAUSE, PAUSE * 2 ** (delivery.attempts - 1));
    delivery.dueAt = clock.now() + Math.round(pause * (0.5 + random.next() / 2));
    if (delivery.attempts > MOST_ATTEMPTS || delivery.dueAt - delivery.acceptedAt > LONGEST) {
      giveUp(delivery, error);
      return;
    }
    waiting.set(delivery.id, delivery);
    arm(delivery);
  };

  const attempt = async (delivery: Delivery): Promise<void> => {
    delivery.attempts += 1;
    const target = targets[delivery.target];
    try {
      if (!target) throw new Error(`There is no target ${delivery.target}.`);
      await target(delivery.event, delivery.rule);
      waiting.delete(delivery.id);
    } catch (error) {
      again(delivery, error);
    }
  };

  const arm = (delivery: Delivery): void => {
    clock.after(Math.max(0, delivery.dueAt - clock.now()), () => {
      void simulation.busy(attempt(delivery));
    });
  };

  const accept = (rule: string, target: string, event: Event): void => {
    const now = clock.now();
    const delivery = { id: random.uuid(), rule, target, event, acceptedAt: now, attempts: 0, dueAt: now + delay() };
    waiting.set(delivery.id, delivery);
    arm(delivery);
  };

  return {
    send: (rule, target, event) => {
      accept(rule, target, event);
      if (random.next() < TWICE_RATE) accept(rule, target, event);
    },
    deadLetters: () => dead.values(),
    resume: () => {
      for (const delivery of waiting.values()) arm(delivery);
    },
  };
}
