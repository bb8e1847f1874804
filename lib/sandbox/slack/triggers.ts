import type { Clock } from "../core/clock.ts";
import type { Simulation } from "../core/simulation.ts";
import { SlackError } from "./slack-error.ts";

interface Trigger {
  readonly userId: string;
  /** The view that was clicked in, when it was one: only then may a view be pushed on it. */
  readonly viewId?: string;
  readonly issuedAt: number;
  used: boolean;
}

/** Trigger ids: the right, good once and for a moment, to open a view in front of the person who acted. */
export interface Triggers {
  issue(userId: string, viewId?: string): string;
  /** Adds an id that was made outside, in Slack's place; a known id is left unchanged. */
  adopt(id: string, userId: string): void;
  /** @throws SlackError invalid_trigger_id, expired_trigger_id, exchanged_trigger_id */
  exchange(id: string): { readonly userId: string; readonly viewId?: string };
}

/** Modals guide: a trigger_id expires in 3 seconds. */
const LIFETIME_MS = 3_000;
/** Time for which Slack still knows that a trigger existed; assumed. */
const REMEMBERED_MS = 10 * 60_000;

/**
 * Builds the store of trigger ids.
 * @param host measures the three seconds: they are the app's computing time, which the sandbox's speed does not shorten
 */
export function triggers({ store, random }: Simulation, host: Clock, teamId: string): Triggers {
  const triggers = store.collection<Trigger>("slack-triggers");
  const forget = (): void => {
    for (const id of triggers.keys()) {
      if (host.now() - (triggers.get(id)?.issuedAt ?? 0) > REMEMBERED_MS) triggers.delete(id);
    }
  };
  const enter = (id: string, userId: string, viewId?: string): void => {
    forget();
    triggers.set(id, { userId, ...(viewId !== undefined && { viewId }), issuedAt: host.now(), used: false });
  };
  return {
    issue: (userId, viewId) => {
      const id = `${random.between(1e12, 9e12)}.${teamId}.${random.hex(32)}`;
      enter(id, userId, viewId);
      return id;
    },
    adopt: (id, userId) => {
      if (!triggers.get(id)) enter(id, userId);
    },
    exchange: (id) => {
      const trigger = triggers.get(id);
      if (!trigger) throw new SlackError("invalid_trigger_id");
      if (trigger.used) throw new SlackError("exchanged_trigger_id");
      if (host.now() - trigger.issuedAt > LIFETIME_MS) throw new SlackError("expired_trigger_id");
      trigger.used = true;
      triggers.set(id, trigger);
      return trigger;
    },
  };
}
