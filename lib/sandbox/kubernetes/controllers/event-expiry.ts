import type { Simulation } from "../../core/simulation.ts";
import type { Objects } from "../store/objects.ts";
import type { Controller } from "./controller.ts";
import { type EventObject, events } from "./recorder.ts";

/** Milliseconds for which Events are kept (kube-apiserver --event-ttl). */
const KEPT = 3_600_000;

/** Deletes Events after an hour. */
export function eventExpiry(simulation: Simulation, objects: Objects): Controller {
  return {
    name: "event-expiry",
    type: events,
    reconcile: ({ namespace, name }) => {
      const event = objects.get<EventObject>(events, namespace, name);
      if (!event) return undefined;
      const due = Date.parse(event.lastTimestamp ?? event.metadata.creationTimestamp) + KEPT;
      if (simulation.clock.now() < due) return due;
      objects.remove(events, event);
      return undefined;
    },
  };
}
