import type { Clients } from "../clients/clients.ts";
import type { DoorClients } from "../clients/door-clients.ts";
import type { Settings } from "../settings.ts";

/** What the verbs of the doors work on: few clients, the place, and the time. */
export interface DoorWorld {
  readonly clients: DoorClients;
  readonly settings: Settings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What every verb works on. */
export interface World extends DoorWorld {
  readonly clients: Clients;
  /** Writes a line into the function's log, as it is; to standard output unless told. */
  readonly log?: ((line: string) => void) | undefined;
}

/** The current time as the ledger writes it. */
export const timestamp = (world: Pick<World, "now">): string => new Date(world.now()).toISOString();
