import type { Clock } from "../../core/clock.ts";
import { badRequest, expired, versionTooLarge } from "../model/failure.ts";
import type { KubeObject } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import type { Change, Objects } from "../store/objects.ts";
import { fieldSelector, labelSelector } from "./selectors.ts";

/** Limits of a list or watch: type, namespace and selectors. */
export interface Selection {
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly matches: (object: KubeObject) => boolean;
}

/** One page of a list. */
export interface Page {
  readonly items: readonly KubeObject[];
  readonly metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
}

/** Lists in pages; every page of a list shows the same moment. */
export type Lister = (selection: Selection, query: URLSearchParams) => Page;

interface Snapshot {
  readonly at: number;
  readonly version: string;
  readonly items: readonly KubeObject[];
}

/**
 * Milliseconds for which a list may be continued, and an exact version be read: etcd compaction every five minutes
 * (kube-apiserver --etcd-compaction-interval).
 */
const KEPT = 5 * 60_000;

const tooOld = (): never => {
  throw expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.",
  );
};

/**
 * Reads the selectors of a query.
 * @throws 400 for invalid selectors
 */
export function selectionOf(type: ResourceType, namespace: string | undefined, query: URLSearchParams): Selection {
  const byLabel = labelSelector(query.get("labelSelector") ?? "");
  const byField = fieldSelector(type.plural, query.get("fieldSelector") ?? "");
  const matches = (object: KubeObject): boolean => byLabel(object) && byField(object);
  return { type, namespace: type.namespaced ? namespace : undefined, matches };
}

/** Says why a token is none of this server's (k8s.io/apiserver/pkg/storage/continue.go). */
const badToken = (why: string): never => {
  throw badRequest(`invalid continue token: continue key is not valid: ${why}`);
};

function tokenOf(text: string): { readonly list: string; readonly from: number } {
  const illegal = text.search(/[^\w-]/);
  if (illegal >= 0) badToken(`illegal base64 data at input byte ${illegal}`);
  const decoded = Buffer.from(text, "base64url").toString("utf8");
  const [list, from] = decoded.split(":");
  if (!list || !Number.isInteger(Number(from)))
    badToken(`invalid character '${decoded.charAt(0)}' looking for beginning of value`);
  return { list: list ?? "", from: Number(from) };
}

const placeOf = ({ metadata }: KubeObject): string => `${metadata.namespace ?? ""}/${metadata.name}`;

/**
 * Computes the selected objects before these changes, in the order of the list: reverts each change, the last one
 * first.
 */
function before(objects: Objects, { type, namespace, matches }: Selection, changes: readonly Change[]): KubeObject[] {
  const there = new Map(objects.list(type).map((object) => [placeOf(object), object]));
  for (const { object, before } of changes.toReversed()) {
    if (before) there.set(placeOf(object), before);
    else there.delete(placeOf(object));
  }
  const isMeant = (object: KubeObject): boolean =>
    (namespace === undefined || object.metadata.namespace === namespace) && matches(object);
  return [...there]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, object]) => (isMeant(object) ? [object] : []));
}

/** Builds the lister; lists that may be continued are kept in memory for five minutes, and a restart expires them. */
export function lister(objects: Objects, clock: Clock): Lister {
  const snapshots = new Map<string, Snapshot>();
  let lists = 0;

  const forgetOld = (): void => {
    for (const [name, snapshot] of snapshots) if (clock.now() - snapshot.at > KEPT) snapshots.delete(name);
  };
  const present = ({ type, namespace, matches }: Selection): Snapshot => ({
    at: clock.now(),
    version: String(objects.version()),
    items: objects.list(type, namespace).filter(matches),
  });
  const past = (selection: Selection, version: string): Snapshot => {
    const changes = objects.since(selection.type, Number(version));
    if (!changes || clock.now() - objects.untilOf(Number(version)) > KEPT)
      throw expired("The resourceVersion for the provided list is too old.");
    return { at: clock.now(), version, items: before(objects, selection, changes) };
  };
  const begun = (selection: Selection, query: URLSearchParams): Snapshot => {
    const wanted = query.get("resourceVersion") ?? "";
    if (Number(wanted) > objects.version()) throw versionTooLarge(wanted, objects.version());
    return query.get("resourceVersionMatch") === "Exact" ? past(selection, wanted) : present(selection);
  };

  return (selection, query) => {
    forgetOld();
    const given = query.get("continue");
    const { list, from } = given ? tokenOf(given) : { list: `list-${++lists}`, from: 0 };
    const snapshot = given ? (snapshots.get(list) ?? tooOld()) : begun(selection, query);
    const limit = Number(query.get("limit") ?? 0);
    const end = limit > 0 ? from + limit : Number.POSITIVE_INFINITY;
    const left = snapshot.items.length - end;
    if (left > 0) snapshots.set(list, snapshot);
    const next =
      left > 0 ? { continue: Buffer.from(`${list}:${end}`).toString("base64url"), remainingItemCount: left } : {};
    return { items: snapshot.items.slice(from, end), metadata: { resourceVersion: snapshot.version, ...next } };
  };
}
