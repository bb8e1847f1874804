import type { Simulation } from "../../core/simulation.ts";
import { expired, statusOf } from "../model/failure.ts";
import type { KubeObject } from "../model/object.ts";
import type { Change, Objects } from "../store/objects.ts";
import type { Selection } from "./lists.ts";

/** One line of a watch. */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: unknown;
}

/** Interval of bookmarks in milliseconds (k8s.io/apiserver cacher: about a minute). */
const BOOKMARK = 60_000;

/** Shortest duration of a watch in seconds when the client sets none (kube-apiserver --min-request-timeout). */
const SHORTEST = 1_800;

/** A queue that can be read while it fills; either side may close it. */
function stream<T>(onClose: () => void): {
  push(item: T): void;
  close(): void;
  readonly items: AsyncIterableIterator<T>;
} {
  const waiting: T[] = [];
  let wake: ((result: IteratorResult<T>) => void) | undefined;
  let isOpen = true;
  const end: IteratorResult<T> = { done: true, value: undefined };
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    onClose();
    wake?.(end);
  };
  const next = (): Promise<IteratorResult<T>> => {
    const item = waiting.shift();
    if (item !== undefined) return Promise.resolve({ done: false, value: item });
    if (!isOpen) return Promise.resolve(end);
    return new Promise((resolve) => {
      wake = resolve;
    });
  };
  const push = (item: T): void => {
    const reader = wake;
    wake = undefined;
    if (reader) reader({ done: false, value: item });
    else waiting.push(item);
  };
  const items: AsyncIterableIterator<T> = {
    next,
    return: () => {
      close();
      return Promise.resolve(end);
    },
    [Symbol.asyncIterator]: () => items,
  };
  return { push, close, items };
}

/** Builds the event of a change for a selection: an object that enters it is added, one that leaves it is deleted. */
function eventOf({ matches, namespace }: Selection, { kind, object, before }: Change): WatchEvent | undefined {
  const isSeen = (one: KubeObject | undefined): boolean =>
    one !== undefined && (namespace === undefined || one.metadata.namespace === namespace) && matches(one);
  const [was, is] = [isSeen(before), isSeen(object)];
  if (kind === "DELETED") return was ? { type: "DELETED", object } : undefined;
  if (is) return { type: was ? "MODIFIED" : "ADDED", object };
  return was ? { type: "DELETED", object } : undefined;
}

const bookmarkOf = ({ type }: Selection, version: number, annotations?: Record<string, string>): WatchEvent => ({
  type: "BOOKMARK",
  object: {
    apiVersion: type.apiVersion,
    kind: type.kind,
    metadata: { resourceVersion: String(version), creationTimestamp: null, ...(annotations ? { annotations } : {}) },
  },
});

/**
 * Lists the first events of a watch: the present state, or the changes since a version; undefined when that version is
 * too old.
 */
function initialEvents(
  objects: Objects,
  selection: Selection,
  from: string,
  withState: boolean,
): WatchEvent[] | undefined {
  if (withState || from === "" || from === "0") {
    const present = objects.list(selection.type, selection.namespace).filter(selection.matches);
    return present.map((object) => ({ type: "ADDED", object }));
  }
  return objects.since(selection.type, Number(from))?.flatMap((change) => eventOf(selection, change) ?? []);
}

const isYes = (value: string | null): boolean => value === "true" || value === "1";

/**
 * Opens a watch: first the initial events of the query, then every change until the timeout or until the reader closes
 * it.
 * @param query resourceVersion, timeoutSeconds, allowWatchBookmarks, sendInitialEvents as in the API
 */
export function watch(
  simulation: Simulation,
  objects: Objects,
  selection: Selection,
  query: URLSearchParams,
): AsyncIterableIterator<WatchEvent> {
  const { clock, random } = simulation;
  const from = query.get("resourceVersion") ?? "";
  const withState = isYes(query.get("sendInitialEvents"));
  const asked = Number(query.get("timeoutSeconds") ?? 0) || random.between(SHORTEST, 2 * SHORTEST);
  // Clients measure a watch by their own clock: on a fast clock it must not end before they expect it to.
  const seconds = asked * Math.max(1, clock.speed?.() ?? 1);
  const bookmarks = isYes(query.get("allowWatchBookmarks"));

  const cancels: (() => void)[] = [];
  const { push, close, items } = stream<WatchEvent>(() => {
    for (const cancel of cancels) cancel();
  });
  const first = initialEvents(objects, selection, from, withState);
  if (!first) {
    push({ type: "ERROR", object: statusOf(expired(`too old resource version: ${from} (${objects.version()})`)) });
    close();
    return items;
  }
  for (const event of first) push(event);
  if (withState && bookmarks) push(bookmarkOf(selection, objects.version(), { "k8s.io/initial-events-end": "true" }));
  const bookmarkLater = (): void => {
    cancels[2] = clock.after(BOOKMARK, () => {
      push(bookmarkOf(selection, objects.version()));
      bookmarkLater();
    });
  };
  // A future version is awaited: changes up to it are not sent.
  const isNew = (change: Change): boolean => change.type === selection.type && change.version > Number(from);
  cancels.push(
    objects.listen((change) => {
      const event = isNew(change) ? eventOf(selection, change) : undefined;
      if (event) push(event);
    }),
    clock.after(seconds * 1000, close),
  );
  if (bookmarks) bookmarkLater();
  return items;
}
