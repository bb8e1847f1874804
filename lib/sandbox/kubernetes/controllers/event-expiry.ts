import type { Foundation } from "../../core/foundation.ts";
import type { Objects } from "../store/objects.ts";
import type { Controller } from "./controller.ts";
import { type EventObject, events } from "./recorder.ts";

/** Milliseconds for which Events are kept (kube-apiserver --event-ttl). */
const KEPT = 3_600_000;

/** Forgets Events after their hour. */
export function eventExpiry(foundation: Foundation, objects: Objects): Controller {
  return {
    name: "event-expiry",
    type: events,
    reconcile: ({ namespace, name }) => {
      const event = objects.get<EventObject>(events, namespace, name);
      if (!event) return undefined;
      const due = Date.parse(event.lastTimestamp ?? event.metadata.creationTimestamp) + KEPT;
      if (foundation.clock.now() < due) return due;
      objects.remove(events, event);
      return undefined;
    },
  };
}
