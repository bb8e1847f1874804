import { type Bus, bus } from "./bus.ts";
import { type Calls, callRecord } from "./calls.ts";
import type { Clock } from "./clock.ts";
import { type Faults, faultRegistry } from "./faults.ts";
import { type Random, seededRandom } from "./random.ts";
import type { Store } from "./store.ts";

/** Parts that every service of the ground is built from. */
export interface Foundation {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly faults: Faults;
  readonly calls: Calls;
  readonly bus: Bus;
  /**
   * Says that work is under way which no timer and no request shows (key generation, a machine's own call).
   * A journey's clock does not move before the promise has settled. Returns the same promise.
   */
  busy<T>(work: Promise<T>): Promise<T>;
}

/** Parts that a foundation is laid on. */
interface Site extends Pick<Foundation, "clock" | "store"> {
  /** Any whole number: the same one gives the same run. */
  readonly seed: number;
  /** Left out, nobody waits for what is under way. */
  readonly busy?: Foundation["busy"];
}

/** Lays the foundation of a ground whose memory, clock and seed are given. */
export function foundationOn({ clock, store, seed, busy = (work) => work }: Site): Foundation {
  const random = seededRandom(seed);
  return { clock, random, store, faults: faultRegistry(store, random), calls: callRecord(clock), bus: bus(), busy };
}
