import type { Cancel } from "../../core/clock.ts";
import type { Cloud, DataPlane, Images } from "../../core/ports.ts";
import type { Simulation } from "../../core/simulation.ts";
import type { Distribution } from "../access/admission.ts";
import type { Authority } from "../access/authority.ts";
import type { KubeletClients } from "../access/kubelet-clients.ts";
import type { KubeObject } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import type { Registry } from "../registry/registry.ts";
import type { Change, Objects } from "../store/objects.ts";
import type { Recorder } from "./recorder.ts";

/** Everything that controllers use. */
export interface Cluster {
  readonly simulation: Simulation;
  readonly objects: Objects;
  readonly registry: Registry;
  readonly cloud: Cloud;
  readonly authority: Authority;
  readonly kubeletClients: KubeletClients;
  readonly record: Recorder;
  readonly distribution: Distribution;
  readonly region: string;
  readonly hybridNetwork: string;
  /** Abilities of the pods on an instance; undefined where no machine is simulated. */
  readonly dataPlane: (instanceId: string) => DataPlane | undefined;
  /** Images on an instance; undefined where no machine is simulated. */
  readonly images: (instanceId: string) => Images | undefined;
}

/** Key of an object that a controller reconciles. */
export interface Key {
  readonly namespace: string | undefined;
  readonly name: string;
}

/**
 * A control loop: reconciles one object at a time. It decides from stored objects alone, so extra calls do no harm, and
 * after a restart it only has to reconcile everything again.
 */
export interface Controller {
  readonly name: string;
  /** The type that it reconciles. */
  readonly type: ResourceType;
  /** Finds the objects to reconcile after a change of another object; an object's own changes always count. */
  readonly concerns?: (change: Change) => readonly Key[];
  /**
   * Reconciles one object, which may be gone. Returns the time of the next call (ms of sandbox time), if one is due.
   */
  readonly reconcile: (key: Key) => number | undefined;
}

/** Milliseconds until a controller learns of a change: informers take some tens of them (assumed). */
const LATENCY = 50;

/** Milliseconds until the next call when the requested time has passed already: one call a second is affordable. */
const OVERDUE = 1_000;

/** Builds the key of an object. */
export const keyOf = ({ metadata }: KubeObject): Key => ({ namespace: metadata.namespace, name: metadata.name });

/** Schedules calls by key; of two times for the same key the earlier wins, because that call finds the later one. */
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
 * Runs controllers: calls each soon after a change that concerns it, and at the times that it requests. A call is one
 * transaction: a kill leaves all of its writes or none, and writing them together costs a third.
 * @returns a function that makes every controller reconcile everything, for use after a restart
 */
export function run(simulation: Simulation, objects: Objects, controllers: readonly Controller[]): () => void {
  const at = timers(simulation);
  const enqueue = (controller: Controller, key: Key, due: number): void =>
    at(`${controller.name} ${key.namespace ?? ""}/${key.name}`, due, () => {
      const again = simulation.store.together(() => controller.reconcile(key));
      if (again !== undefined) enqueue(controller, key, again > simulation.clock.now() ? again : overdue());
    });
  const overdue = (): number => simulation.clock.now() + OVERDUE;
  const soon = (): number => simulation.clock.now() + LATENCY;
  objects.listen((change) => {
    for (const controller of controllers) {
      if (change.type === controller.type) enqueue(controller, keyOf(change.object), soon());
      for (const key of controller.concerns?.(change) ?? []) enqueue(controller, key, soon());
    }
  });
  return () => {
    for (const controller of controllers) {
      for (const object of objects.list(controller.type)) enqueue(controller, keyOf(object), soon());
    }
  };
}
