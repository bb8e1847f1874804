import type { Clients } from "../clients/clients.ts";
import type { DoorClients } from "../clients/door-clients.ts";
import type { Settings } from "../settings.ts";

/** Dependencies of the doors' verbs: few clients, the place, and the time. */
export interface DoorWorld {
  readonly clients: DoorClients;
  readonly settings: Settings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Dependencies of every verb. */
export interface World extends DoorWorld {
  readonly clients: Clients;
  /** Writes a line into the function's log, as it is; by default to standard output. */
  readonly log?: ((line: string) => void) | undefined;
}

/** The current time as the ledger writes it. */
export const timestamp = (world: Pick<World, "now">): string => new Date(world.now()).toISOString();
