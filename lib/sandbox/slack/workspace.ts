import type { Clock } from "../core/clock.ts";
import type { Simulation } from "../core/simulation.ts";
import type { WireRequest, WireResponse } from "../core/wire.ts";
import { type Demo, type Directory, directory } from "./directory.ts";
import { type MessageLog, messageLog } from "./message-log.ts";
import { type ResponseUrls, responseUrls } from "./response-urls.ts";
import { type Triggers, triggers } from "./triggers.ts";
import { type ViewStack, viewStack } from "./view-stack.ts";

/** Settings of the simulated Slack. */
export interface SlackOptions {
  readonly demo: Demo;
  readonly signingSecret: string;
  readonly botToken: string;
  /** The app's one request URL: commands, clicks and dialogs all go there. A rejection is a broken connection. */
  readonly requestUrl: (request: WireRequest) => Promise<WireResponse>;
  /**
   * The host's clock; a journey gives the sandbox's. Signatures are dated by it, and it measures what the app may
   * take (3 s for an answer, 3 s for a trigger): computing time does not get shorter when the sandbox runs faster.
   */
  readonly host: Clock;
  /** Address at which the app reaches this Slack, without a slash at the end: response_url begins with it. */
  readonly address: () => string;
  /** The slash commands the app registered; default "/win". */
  readonly commands?: readonly string[];
  /** Bot scopes of the installed app; default `appScopes`. */
  readonly scopes?: readonly string[];
  /** A workspace setting: messages older than this can no longer be edited. Left out, they always can, Slack's default. */
  readonly editWindowMinutes?: number;
}

/** The bot scopes the app asks for when it is installed. */
export const appScopes = [
  "commands",
  "chat:write",
  "users:read",
  "usergroups:read",
  "channels:read",
  "channels:history",
] as const;

/** State that the Web API and the window of the simulated Slack share. */
export interface Workspace {
  readonly simulation: Simulation;
  readonly options: SlackOptions;
  readonly directory: Directory;
  readonly messages: MessageLog;
  readonly views: ViewStack;
  readonly triggers: Triggers;
  readonly responseUrls: ResponseUrls;
  /** Adds a listener that is called when a user may see something new; returns a function that removes it. */
  onChange(listener: () => void): () => void;
}

/** Builds the workspace on the simulator's store. */
export function workspace(simulation: Simulation, options: SlackOptions): Workspace {
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const people = directory(options.demo);
  const messages = messageLog(simulation, changed);
  return {
    simulation,
    options,
    directory: people,
    messages,
    views: viewStack(simulation, people, changed),
    triggers: triggers(simulation, options.host, people.team.id),
    responseUrls: responseUrls(simulation, people, messages, options.address),
    onChange: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
