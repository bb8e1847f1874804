import type { Bus } from "./bus.ts";
import type { Calls } from "./calls.ts";
import type { Clock } from "./clock.ts";
import type { Mishaps } from "./mishaps.ts";
import type { Random } from "./random.ts";
import type { Store } from "./store.ts";

/** What every service of the ground is built from. */
export interface Foundation {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly mishaps: Mishaps;
  readonly calls: Calls;
  readonly bus: Bus;
  /**
   * Says that work is under way which no timer and no request shows (key generation, a machine's own call).
   * A journey's clock does not move before the promise has settled. Returns the same promise.
   */
  busy<T>(work: Promise<T>): Promise<T>;
}
