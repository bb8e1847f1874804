import type { Clients } from "../clients/clients.ts";
import type { EventClients } from "../clients/event-clients.ts";
import type { FrontDoorClients } from "../clients/front-door-clients.ts";
import type { Settings } from "../settings.ts";

/** Dependencies of the steps that the front door and the event handler call: few clients, the settings and the time. */
export interface FrontDoorContext {
  readonly clients: FrontDoorClients;
  readonly settings: Settings;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Dependencies of the steps that read the release document besides. */
export interface EventContext extends FrontDoorContext {
  readonly clients: EventClients;
}

/** Dependencies of every step. */
export interface StepContext extends EventContext {
  readonly clients: Clients;
  /** Writes a line into the function's log, as it is; by default to standard output. */
  readonly log?: ((line: string) => void) | undefined;
  /** Waits for milliseconds of the time that `now` tells; by default the host's. */
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
}

/** The current time as the ledger writes it. */
export const timestamp = (context: Pick<StepContext, "now">): string => new Date(context.now()).toISOString();
