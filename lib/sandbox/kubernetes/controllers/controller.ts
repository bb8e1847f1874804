import type { Pull } from "../../aws/image-registry.ts";
import type { Cancel } from "../../core/clock.ts";
import type { Simulation } from "../../core/simulation.ts";
import type { Cloud } from "../../core/surroundings.ts";
import type { Authority } from "../access/authority.ts";
import type { KubeletClients } from "../access/kubelet-clients.ts";
import type { KubeObject } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import type { Registry } from "../registry/registry.ts";
import type { Change, Objects } from "../store/objects.ts";
import type { Recorder } from "./recorder.ts";

/** Everything that controllers work with. */
export interface Cluster {
  readonly simulation: Simulation;
  readonly objects: Objects;
  readonly registry: Registry;
  readonly cloud: Cloud;
  readonly authority: Authority;
  readonly kubeletClients: KubeletClients;
  readonly record: Recorder;
  readonly region: string;
  readonly hybridNetwork: string;
  /** Reason why a Windows node cannot pull an image; undefined when it can. */
  readonly pull: Pull;
}

/** Names one object that a controller looks after. */
export interface Key {
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * A control loop: it is told which objects to look at and makes the world more like what they say. It decides from what
 * is stored alone, so it may be called too often, and a restart only has to let it look at everything again.
 */
export interface Controller {
  readonly name: string;
  /** The type it looks after. */
  readonly type: ResourceType;
  /** Which objects of that type a change of any object concerns; an object's own changes always do. */
  readonly concerns?: (change: Change) => readonly Key[];
  /** Looks at one object, which may be gone. Returns when to look again (ms of sandbox time), if something is due. */
  readonly reconcile: (key: Key) => number | undefined;
}

/** Milliseconds until a controller hears of a change: informers take some tens of them (assumed). */
const LATENCY = 50;

/**
 * Milliseconds until a controller looks again when the time it asked for has passed: a full look each second is
 * bearable.
 */
const OVERDUE = 1_000;

/** The key of an object. */
export const keyOf = ({ metadata }: KubeObject): Key => ({ namespace: metadata.namespace, name: metadata.name });

/** Remembers what is due; of two times for the same key the earlier counts, since looking again finds the later one. */
function timers(simulation: Simulation): (key: string, due: number, what: () => void) => void {
  const pending = new Map<string, { due: number; cancel: Cancel }>();
  return (key, due, what) => {
    const known = pending.get(key);
    if (known && known.due <= due) return;
    known?.cancel();
    const cancel = simulation.clock.after(Math.max(0, due - simulation.clock.now()), () => {
      pending.delete(key);
      what();
    });
    pending.set(key, { due, cancel });
  };
}

/**
 * Lets controllers run: each is called soon after a change that concerns it, and when it asked to be.
 * @returns a function that makes every controller look at everything, for after a restart
 */
export function run(simulation: Simulation, objects: Objects, controllers: readonly Controller[]): () => void {
  const at = timers(simulation);
  const look = (controller: Controller, key: Key, due: number): void =>
    at(`${controller.name} ${key.namespace ?? ""}/${key.name}`, due, () => {
      const again = controller.reconcile(key);
      if (again !== undefined) look(controller, key, again > simulation.clock.now() ? again : overdue());
    });
  const overdue = (): number => simulation.clock.now() + OVERDUE;
  const soon = (): number => simulation.clock.now() + LATENCY;
  objects.listen((change) => {
    for (const controller of controllers) {
      if (change.type === controller.type) look(controller, keyOf(change.object), soon());
      for (const key of controller.concerns?.(change) ?? []) look(controller, key, soon());
    }
  });
  return () => {
    for (const controller of controllers) {
      for (const object of objects.list(controller.type)) look(controller, keyOf(object), soon());
    }
  };
}
