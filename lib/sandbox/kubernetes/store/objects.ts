import { isDeepStrictEqual } from "node:util";
import type { Simulation } from "../../core/simulation.ts";
import type { Collection } from "../../core/store.ts";
import { alreadyExists, conflict, modified, notFound } from "../model/failure.ts";
import { type KubeObject, timestamp } from "../model/object.ts";
import { qualified, type ResourceType } from "../model/resources.ts";

/** One change of one object, as watches report it. */
export interface Change {
  readonly kind: "ADDED" | "MODIFIED" | "DELETED";
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly before: KubeObject | undefined;
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** An object that has not been stored yet: the store sets uid, version and creation time. */
export type Draft = Omit<KubeObject, "metadata"> & {
  metadata: Partial<KubeObject["metadata"]> & { name: string };
};

/** All objects, with one increasing version for all of them, as in etcd. */
export interface Objects {
  get<T extends KubeObject>(type: ResourceType, namespace: string | undefined, name: string): T | undefined;
  /** Lists one namespace or, without one, all; ordered by namespace and name. */
  list<T extends KubeObject>(type: ResourceType, namespace?: string): T[];
  /** Throws 409 AlreadyExists. */
  create<T extends KubeObject>(type: ResourceType, draft: Draft): T;
  /**
   * Replaces the stored object; writes nothing when there is no difference. Throws 404, and 409 Conflict when
   * `object.metadata.resourceVersion` is set and differs from the stored one.
   */
  replace<T extends KubeObject>(type: ResourceType, object: T): T;
  remove(type: ResourceType, object: KubeObject): KubeObject;
  version(): number;
  listen(listener: (change: Change) => void): () => void;
  /** Lists the changes of this type after a version; undefined when they are no longer kept. */
  since(type: ResourceType, version: number): Change[] | undefined;
  /** The time (ms) of the change, of any type, that made a version an old one; infinite for the present version. */
  untilOf(version: number): number;
}

/**
 * Number of changes that are kept for watches: the API server's watch cache starts at 100 a resource (assumed similar).
 */
const REMEMBERED = 1_000;

const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ""}/${name}`;

const keyOfObject = ({ metadata }: KubeObject): string => keyOf(metadata.namespace, metadata.name);

const withVersion = <T extends KubeObject>(object: T, resourceVersion: string): T => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion },
});

/** The changes since this process started: a restart drops them, as it empties an API server's watch cache. */
function history(first: number) {
  const changes: Change[] = [];
  let oldest = first;
  return {
    add(change: Change): void {
      changes.push(change);
      if (changes.length > REMEMBERED) oldest = changes.shift()?.version ?? oldest;
    },
    since: (type: ResourceType, version: number): Change[] | undefined =>
      version < oldest ? undefined : changes.filter((change) => change.type === type && change.version > version),
    untilOf: (version: number): number =>
      changes.find((change) => change.version > version)?.at ?? Number.POSITIVE_INFINITY,
  };
}

/** Storage behind the writes: collections of objects, the next version, and a way to notify watchers. */
interface Backing {
  kept(type: ResourceType): Collection<KubeObject>;
  next(): string;
  tell(kind: Change["kind"], type: ResourceType, object: KubeObject, before: KubeObject | undefined): void;
}

const creating =
  ({ clock, random }: Simulation, { kept, next, tell }: Backing) =>
  (type: ResourceType, draft: Draft): KubeObject => {
    const { name, namespace } = draft.metadata;
    if (kept(type).has(keyOf(namespace, name))) throw alreadyExists(type, name);
    const given = { uid: random.uuid(), resourceVersion: next(), creationTimestamp: timestamp(clock.now()) };
    const object = plain({ ...draft, metadata: { ...draft.metadata, ...given } } as KubeObject);
    kept(type).set(keyOfObject(object), object);
    tell("ADDED", type, object, undefined);
    return object;
  };

const replacing =
  ({ kept, next, tell }: Backing) =>
  (type: ResourceType, wanted: KubeObject): KubeObject => {
    const before = kept(type).get(keyOfObject(wanted));
    if (!before) throw notFound(type, wanted.metadata.name);
    const { resourceVersion } = before.metadata;
    if ((wanted.metadata.resourceVersion || resourceVersion) !== resourceVersion) {
      throw conflict(type, wanted.metadata.name, modified);
    }
    const same = plain(withVersion(wanted, resourceVersion));
    if (isDeepStrictEqual(same, before)) return before;
    const object = withVersion(same, next());
    kept(type).set(keyOfObject(object), object);
    tell("MODIFIED", type, object, before);
    return object;
  };

const removing =
  ({ kept, next, tell }: Backing) =>
  (type: ResourceType, object: KubeObject): KubeObject => {
    const before = kept(type).get(keyOfObject(object));
    if (!before) throw notFound(type, object.metadata.name);
    kept(type).delete(keyOfObject(object));
    const last = withVersion(before, next());
    tell("DELETED", type, last, before);
    return last;
  };

/**
 * Builds the store of objects on the simulator's store.
 * @param simulation clock for creation times, randomness for uids, store for the objects
 */
export function objectStore(simulation: Simulation): Objects {
  const counter = simulation.store.collection<number>("kubernetes-version");
  const listeners = new Set<(change: Change) => void>();
  const version = (): number => counter.get("version") ?? 1;
  const past = history(version());
  const backing: Backing = {
    kept: (type) => simulation.store.collection<KubeObject>(`kubernetes/${qualified(type)}`),
    next: () => {
      counter.set("version", version() + 1);
      return String(version());
    },
    tell: (kind, type, object, before) => {
      const version = Number(object.metadata.resourceVersion);
      const change: Change = { kind, type, object, before, version, at: simulation.clock.now() };
      past.add(change);
      for (const listener of [...listeners]) listener(change);
    },
  };
  const [create, replace] = [creating(simulation, backing), replacing(backing)];
  return {
    get: <T extends KubeObject>(type: ResourceType, namespace: string | undefined, name: string) =>
      backing.kept(type).get(keyOf(type.namespaced ? namespace : undefined, name)) as T | undefined,
    list: <T extends KubeObject>(type: ResourceType, namespace?: string) =>
      inOrder(backing.kept(type), namespace) as T[],
    create: <T extends KubeObject>(type: ResourceType, draft: Draft) => create(type, draft) as T,
    replace: <T extends KubeObject>(type: ResourceType, object: T) => replace(type, object) as T,
    remove: removing(backing),
    version,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    since: past.since,
    untilOf: past.untilOf,
  };
}

/** Copies an object through JSON: no undefined fields, nothing shared with the caller. */
const plain = <T>(object: T): T => JSON.parse(JSON.stringify(object)) as T;

function inOrder(collection: Collection<KubeObject>, namespace: string | undefined): KubeObject[] {
  const prefix = namespace === undefined ? "" : `${namespace}/`;
  const keys = collection.keys().filter((key) => key.startsWith(prefix));
  return keys.sort(byEtcdOrder).flatMap((key) => collection.get(key) ?? []);
}

const byEtcdOrder = (one: string, other: string): number => (one < other ? -1 : Number(one > other));
