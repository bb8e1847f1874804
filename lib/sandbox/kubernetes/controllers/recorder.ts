import type { Simulation } from "../../core/simulation.ts";
import { type KubeObject, timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Objects } from "../store/objects.ts";

/** Content of an Event about an object. */
export interface EventInput {
  readonly component: string;
  readonly about: KubeObject;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** Writes an Event; a repeated one increases its count. */
export type Recorder = (input: EventInput) => void;

/** The type of Events. */
export const events = known("events");

/** The fields of an Event that are read again. */
export interface EventObject extends KubeObject {
  count?: number;
  lastTimestamp?: string;
  reason?: string;
  message?: string;
  involvedObject?: { uid?: string };
}

/** Builds the recorder that the control plane's components share; it remembers in memory what it wrote (k8s.io/client-go/tools/record). */
export function recorder(simulation: Simulation, objects: Objects): Recorder {
  const written = new Map<string, string>();
  return ({ component, about, type, reason, message }) => {
    const now = timestamp(simulation.clock.now());
    const { name, namespace, uid, resourceVersion } = about.metadata;
    const space = namespace ?? "default";
    const what = [space, uid, reason, message].join("/");
    const known = objects.get<EventObject>(events, space, written.get(what) ?? "");
    if (known) {
      objects.replace(events, { ...known, count: (known.count ?? 1) + 1, lastTimestamp: now });
      return;
    }
    const made = objects.create(events, {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${name}.${simulation.random.hex(16)}`, namespace: space },
      involvedObject: {
        apiVersion: about.apiVersion,
        kind: about.kind,
        name,
        uid,
        resourceVersion,
        ...(namespace ? { namespace } : {}),
      },
      type,
      reason,
      message,
      source: { component },
      eventTime: null,
      reportingComponent: component,
      reportingInstance: "",
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    });
    written.set(what, made.metadata.name);
  };
}
