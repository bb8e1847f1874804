import type { Clock } from "../../core/clock.ts";
import type { KubeObject } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import type { Objects } from "../store/objects.ts";

/**
 * Milliseconds from the storing of a policy or binding until the plugin goes by it, and from its deletion until the
 * plugin no longer does: the plugin takes over changes about once a second
 * (k8s.io/apiserver/pkg/admission/plugin/policy/generic/policy_source.go; a 1.34 server took about a second).
 */
const TAKEN_OVER_MS = 1_000;

/** One state of an object: undefined when it is gone. */
interface State {
  readonly since: number;
  readonly object: KubeObject | undefined;
}

/** Objects of a type as a reader knows them who hears of each change a moment later. */
export interface Lagging<T extends KubeObject> {
  list(): T[];
  /** From now on changes take a moment; what is stored already is known. */
  begin(): void;
}

/** The state that is known at a moment, and those that will be. */
const from = (states: readonly State[], now: number): readonly State[] => {
  const known = states.findLastIndex(({ since }) => since <= now);
  return states.slice(Math.max(0, known));
};

/** Looks at the objects of a type with a moment's delay. */
export function lagging<T extends KubeObject>(objects: Objects, type: ResourceType, clock: Clock): Lagging<T> {
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
