import type { Cancel } from "../core/clock.ts";
import type { Simulation } from "../core/simulation.ts";

/**
 * Something that runs on a machine until it ends or is killed: a service's program, a task, a command's script. After
 * its end, `pause` and `io` never resolve, as the code of a killed process never continues.
 */
export interface Process {
  readonly over: boolean;
  pause(ms: number): Promise<void>;
  io<T>(work: Promise<T>): Promise<T>;
  /** Runs `work` over and over, `ms` apart, until the end; `work` must not reject. */
  every(ms: number, work: () => Promise<void> | void): void;
  /** A process that ends with this one at the latest. */
  child(): Process;
  end(): void;
}

const never = new Promise<never>(() => undefined);

/** Starts an empty process on the simulation's clock. */
export function newProcess(simulation: Simulation): Process {
  const timers = new Set<Cancel>();
  const children: Process[] = [];
  let over = false;
  const pause = (ms: number): Promise<void> => {
    if (over) return never;
    return new Promise((resolve) => {
      const cancel = simulation.clock.after(ms, () => {
        timers.delete(cancel);
        if (!over) resolve();
      });
      timers.add(cancel);
    });
  };
  const io = async <T>(work: Promise<T>): Promise<T> => {
    try {
      const result = await simulation.busy(work);
      return over ? await never : result;
    } catch (error) {
      if (over) await never;
      throw error;
    }
  };
  const every = (ms: number, work: () => Promise<void> | void): void => {
    const rounds = async (): Promise<void> => {
      while (!over) {
        await pause(ms);
        await work();
      }
    };
    void rounds();
  };
  return {
    get over() {
      return over;
    },
    pause,
    io,
    every,
    child: () => {
      const child = newProcess(simulation);
      children.push(child);
      return child;
    },
    end: () => {
      over = true;
      for (const child of children) child.end();
      for (const cancel of timers) cancel();
      timers.clear();
    },
  };
}
