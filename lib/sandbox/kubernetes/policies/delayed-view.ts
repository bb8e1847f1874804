import type { Clock } from "../../core/clock.ts";
import type { KubeObject } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import type { Objects } from "../store/objects.ts";

/**
 * Milliseconds until the plugin applies a stored policy or binding, and until it stops applying a deleted one: the
 * plugin takes over changes about once a second (k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_source.go;
 * a 1.34 server took about a second).
 */
const TAKEN_OVER_MS = 1_000;

/** One state of an object; undefined when it is deleted. */
interface State {
  readonly since: number;
  readonly object: KubeObject | undefined;
}

/** The objects of a type as seen by a reader that learns of each change with a delay. */
export interface DelayedView<T extends KubeObject> {
  list(): T[];
  /** Starts the delay: from now on changes are seen late; objects that are stored already are seen at once. */
  begin(): void;
}

/** Drops the states before the one that is visible now. */
const from = (states: readonly State[], now: number): readonly State[] => {
  const known = states.findLastIndex(({ since }) => since <= now);
  return states.slice(Math.max(0, known));
};

/** Reads the objects of a type with a delay. */
export function delayedView<T extends KubeObject>(objects: Objects, type: ResourceType, clock: Clock): DelayedView<T> {
  let states: Map<string, readonly State[]> | undefined;
  objects.listen(({ type: changed, object, kind }) => {
    if (!states || changed !== type) return;
    const { name } = object.metadata;
    const next = { since: clock.now() + TAKEN_OVER_MS, object: kind === "DELETED" ? undefined : object };
    states.set(name, [...from(states.get(name) ?? [], clock.now()), next]);
  });
  const knownOf = (all: readonly State[]): T[] => {
    const [state] = from(all, clock.now());
    return state?.object && state.since <= clock.now() ? [state.object as T] : [];
  };
  return {
    list: () => (states ? [...states.values()].flatMap(knownOf) : objects.list<T>(type)),
    begin: () => {
      states = new Map(objects.list(type).map((object) => [object.metadata.name, [{ since: 0, object }]]));
    },
  };
}
