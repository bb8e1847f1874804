import type { Clients } from "../clients/clients.ts";
import type { Settings } from "../settings.ts";

/** What every verb works on: the clients, the place, and the time. */
export interface World {
  readonly clients: Clients;
  readonly settings: Settings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The current time as the ledger writes it. */
export const timestamp = (world: World): string => new Date(world.now()).toISOString();
