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

/** Machines about which facts are read at one time, and what was read. */
export interface Together {
  readonly instanceIds: readonly string[];
  /** Reads an answer once by its question. */
  readonly remember: <T>(question: string, read: () => Promise<T>) => Promise<T>;
}

/** Dependencies of the steps that also read the release document. */
export interface EventContext extends FrontDoorContext {
  readonly clients: EventClients;
  /** Set where facts about many machines are read at one time. */
  readonly together?: Together;
}

/** Dependencies of every step. */
export interface StepContext extends EventContext {
  readonly clients: Clients;
  /** Writes a line into the function's log; by default to standard output. */
  readonly log?: ((line: string) => void) | undefined;
  /** Waits for some milliseconds of the clock behind `now`; by default the host's. */
  readonly pause?: ((ms: number) => Promise<void>) | undefined;
}

/** The current time in the ledger's format (ISO 8601). */
export const timestamp = (context: Pick<StepContext, "now">): string => new Date(context.now()).toISOString();
