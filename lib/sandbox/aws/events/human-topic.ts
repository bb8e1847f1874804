import type { Simulation } from "../../core/simulation.ts";
import type { Collection } from "../../core/store.ts";
import type { Target } from "./delivery.ts";

/** A notification as the topic's subscribers get it. */
export interface Notification {
  readonly id: string;
  /** ISO 8601, sandbox time. */
  readonly at: string;
  readonly message: string;
}

/** The stack's topic, as a rule's target: keeps the notifications that it would send. */
export interface HumanTopic {
  readonly target: Target;
  /** Oldest first. */
  notifications(): Notification[];
}

/** SNS API Reference, Publish: a message is 1 to 262,144 bytes. */
const LONGEST = 262_144;

/**
 * Builds the topic. The rule fills one field of the event into its input (docs: "EventBridge input transformation"): an
 * event without that field would send nothing, so here it is a failed delivery.
 */
export function humanTopic({ store, clock, calls }: Simulation): HumanTopic {
  const kept: Collection<Notification> = store.collection("sns-notifications");
  const record = (status: number, error: string | null): void =>
    calls.record({ service: "sns", action: "Publish", principal: "events.amazonaws.com", status, error });
  return {
    target: async ({ id, detail }) => {
      const { message } = detail;
      if (typeof message !== "string" || message === "" || Buffer.byteLength(message) > LONGEST) {
        record(400, "InvalidParameter");
        throw new Error("InvalidParameter: Invalid parameter: Message");
      }
      record(200, null);
      kept.set(id, { id, at: new Date(clock.now()).toISOString(), message });
    },
    notifications: () => kept.values(),
  };
}
