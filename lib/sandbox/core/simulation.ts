import { type Bus, bus } from "./bus.ts";
import { type Calls, callRecord } from "./calls.ts";
import { type Clock, sleep } from "./clock.ts";
import { type Faults, faultRegistry } from "./faults.ts";
import { defaultFigures, type Figures } from "./figures.ts";
import { type Random, seededRandom } from "./random.ts";
import type { Store } from "./store.ts";

/** Context that every service of the simulator is built with. */
export interface Simulation {
  readonly clock: Clock;
  readonly random: Random;
  /** Times of AWS and Windows. */
  readonly figures: Figures;
  readonly store: Store;
  readonly faults: Faults;
  readonly calls: Calls;
  readonly bus: Bus;
  /**
   * Registers work that no timer and no request shows (key generation, a machine's own call): a journey's clock does
   * not move before the promise has settled. Returns the same promise.
   */
  busy<T>(work: Promise<T>): Promise<T>;
  /** Delays an answer by milliseconds of the clock, as a fault orders: a journey's clock need not wait for this one. */
  delay(ms: number): Promise<void>;
}

/** Parts of a simulation that differ between hosts. */
interface SimulationOptions extends Pick<Simulation, "clock" | "store"> {
  /** Any whole number: the same one gives the same run. */
  readonly seed: number;
  /** Default: the simulator's own. */
  readonly figures?: Figures;
  /** Default: work under way is not waited for. */
  readonly busy?: Simulation["busy"];
  /** Counts a wait for the clock. Default: it is not counted. */
  readonly waiting?: Simulation["busy"];
}

/** Builds the context of a simulator from its store, clock and seed. */
export function createSimulation({
  clock,
  store,
  seed,
  figures = defaultFigures,
  busy = (work) => work,
  waiting = (work) => work,
}: SimulationOptions): Simulation {
  const random = seededRandom(seed);
  const delay = (ms: number): Promise<void> => waiting(sleep(clock, ms));
  const faults = faultRegistry(store, random);
  return { clock, random, figures, store, faults, calls: callRecord(clock), bus: bus(), busy, delay };
}
