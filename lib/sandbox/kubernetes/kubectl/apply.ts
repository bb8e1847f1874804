import { isDeepStrictEqual } from "node:util";
import type { Collection } from "../../core/store.ts";
import { ApiFailure, type Cause } from "../model/failure.ts";
import { type Fields, isFields, type KubeObject, listOf } from "../model/object.ts";
import { appliedList, type ListKind } from "../patches/lists.ts";

/** Path of an owned field. A step is a field name, or the key of a list's item as `[key=value]`. */
type Path = readonly string[];

/** The fields that each applier or writer of an object owns, as joined paths. */
export type Ownership = Record<string, string[]>;

/** The manager that applies, and whether it may take over others' fields. */
export interface Applier {
  readonly manager: string;
  readonly force: boolean;
}

const SEPARATOR = "\u0000";

const stepOf = (by: string, item: unknown): string =>
  `[${by}=${JSON.stringify(isFields(item) ? item[by] : undefined)}]`;

/** Fields that name the object or belong to the server; they have no owner. */
const unowned = new Set([
  "apiVersion",
  "kind",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "metadata.resourceVersion",
  "metadata.creationTimestamp",
  "metadata.managedFields",
]);

/** Lists all leaves of a configuration. */
function leaves(kind: string, value: unknown, path: Path): Path[] {
  if (isFields(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([field, inner]) => leaves(kind, inner, [...path, field]));
  }
  const how = Array.isArray(value) ? appliedList(kind, path.at(-1) ?? "") : "atomic";
  if (how === "set") return listOf(value).map((one) => [...path, `[=${JSON.stringify(one)}]`]);
  if (typeof how === "object")
    return listOf(value).flatMap((item) => leaves(kind, item, [...path, stepOf(how.by, item)]));
  return [path];
}

/** Lists the fields of a configuration that an applier or a writer owns. */
const ownable = (kind: string, configuration: Fields): Path[] =>
  leaves(kind, configuration, []).filter((path) => !unowned.has(path.join(".")));

const joined = (path: Path): string => path.join(SEPARATOR);

const itemStep = /^\[([^=]*)=(.*)\]$/s;

/** Finds the item of a list that a step names. */
function itemIndex(list: readonly unknown[], step: string): number {
  const [, by = "", value = ""] = itemStep.exec(step) ?? [];
  return list.findIndex((item) => JSON.stringify(by ? (isFields(item) ? item[by] : undefined) : item) === value);
}

/** Reads the value at a path; undefined when there is none. */
const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, step) => {
    if (Array.isArray(inner)) return inner[itemIndex(inner, step)];
    return isFields(inner) ? inner[step] : undefined;
  }, value);

/** Copies a value without the field at the path; a list's item or a map that is left empty is removed too. */
function removed(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return undefined;
  const inner = Array.isArray(value) ? value[itemIndex(value, step)] : isFields(value) ? value[step] : undefined;
  if (inner === undefined) return value;
  const left = rest.length > 0 ? removed(inner, rest) : undefined;
  const gone = left === undefined || (isFields(left) && Object.keys(left).length === 0);
  if (Array.isArray(value))
    return gone ? value.filter((one) => one !== inner) : value.map((one) => (one === inner ? left : one));
  const { [step]: _old, ...others } = value as Fields;
  return gone ? others : { ...others, [step]: left };
}

function mergeFields(kind: string, current: unknown, wanted: Fields): Fields {
  const result: Fields = isFields(current) ? { ...current } : {};
  for (const [name, value] of Object.entries(wanted)) result[name] = mergeApplied(kind, name, result[name], value);
  return result;
}

function mergeItems(kind: string, how: ListKind, current: readonly unknown[], wanted: readonly unknown[]): unknown[] {
  const result = [...current];
  for (const item of wanted) {
    const step = typeof how === "object" ? stepOf(how.by, item) : `[=${JSON.stringify(item)}]`;
    const index = itemIndex(result, step);
    if (index < 0) result.push(item);
    else result[index] = mergeApplied(kind, "", result[index], item);
  }
  return result;
}

function mergeApplied(kind: string, field: string, current: unknown, wanted: unknown): unknown {
  if (isFields(wanted)) return mergeFields(kind, current, wanted);
  const how = Array.isArray(wanted) ? appliedList(kind, field) : "atomic";
  if (how === "atomic" || !Array.isArray(current)) return wanted;
  return mergeItems(kind, how, current, listOf(wanted));
}

/** Is this the key field of its list item? It is removed last: without it the item cannot be found. */
const isItemKey = (path: Path): boolean => path.at(-2)?.startsWith(`[${path.at(-1)}=`) ?? false;

const keysLast = (one: string, other: string): number =>
  Number(isItemKey(one.split(SEPARATOR))) - Number(isItemKey(other.split(SEPARATOR)));

/**
 * Names the manager of an update or patch, which differs from the applier of the same name (managedfields,
 * BuildManagerIdentifier).
 */
const writerOf = (manager: string, apiVersion: string): string => [manager, apiVersion].join(SEPARATOR);

/** Names an owner as conflicts do: `"kubectl-label" using v1` (managedfields, printManager). */
function nameOf(owner: string): string {
  const [manager, apiVersion] = owner.split(SEPARATOR);
  return apiVersion === undefined ? `"${manager}"` : `"${manager}" using ${apiVersion}`;
}

/** Annotation in which kubectl keeps what it applied without the server (k8s.io/api/core/v1, LastAppliedConfigAnnotation). */
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * Lists the fields that kubectl may take from any owner: those of its last client-side apply that nobody has changed since
 * (managedfields/internal/lastappliedmanager.go).
 */
function keptSinceClientApply(manager: string, current: KubeObject): ReadonlySet<string> {
  const text = current.metadata.annotations?.[LAST_APPLIED];
  if (manager !== "kubectl" || text === undefined) return new Set();
  const last = JSON.parse(text) as Fields;
  const kept = leaves(current.kind, last, []).filter((path) =>
    isDeepStrictEqual(valueAt(current, path), valueAt(last, path)),
  );
  return new Set(kept.map(shown));
}

const shown = (path: Path): string => path.map((step) => (step.startsWith("[") ? step : `.${step}`)).join("");

function conflicts(
  owners: Ownership,
  manager: string,
  current: KubeObject,
  wanted: Fields,
  paths: readonly Path[],
): Cause[] {
  const others = Object.entries(owners).filter(([name]) => name !== manager);
  return paths.flatMap((path) =>
    others
      .filter(([, owned]) => owned.includes(joined(path)))
      .filter(() => !isDeepStrictEqual(valueAt(current, path), valueAt(wanted, path)))
      .map(([name]) => ({
        reason: "FieldManagerConflict",
        message: `conflict with ${nameOf(name)}`,
        field: shown(path),
      })),
  );
}

function conflictFailure(causes: readonly Cause[]): ApiFailure {
  const plural = causes.length === 1 ? "conflict" : "conflicts";
  const lines = causes.map((cause) => `${cause.message}: ${cause.field}`).join("\n");
  return new ApiFailure(409, "Conflict", `Apply failed with ${causes.length} ${plural}: ${lines}`, { causes });
}

/**
 * Records a create, update or patch without server-side apply: the writer of a field owns it from then on. An object whose
 * fields have no owner gets none by an update (managedfields/internal/skipnonapplied.go).
 * @param owners present owners; changed in place
 */
export function written(owners: Ownership, before: KubeObject | undefined, after: KubeObject, manager: string): void {
  if (before && Object.keys(owners).length === 0) return;
  const fieldsIn = (object: KubeObject): Path[] => ownable(object.kind, object).filter(([top]) => top !== "status");
  const isChanged = (path: Path): boolean => !isDeepStrictEqual(valueAt(before, path), valueAt(after, path));
  const mine = fieldsIn(after).filter(isChanged);
  const touched = new Set([...mine, ...(before ? fieldsIn(before).filter(isChanged) : [])].map(joined));
  for (const [name, owned] of Object.entries(owners)) owners[name] = owned.filter((one) => !touched.has(one));
  const writer = writerOf(manager, after.apiVersion);
  owners[writer] = [...(owners[writer] ?? []), ...mine.map(joined)];
  for (const [name, owned] of Object.entries(owners)) if (owned.length === 0) delete owners[name];
}

/** Owner of what an object has when it is applied for the first time and nothing was recorded (managedfields). */
const BEFORE_FIRST_APPLY = "before-first-apply";

/**
 * Server-side apply over one object.
 * @param owners present owners; changed in place
 * @param current the stored object, or the bare name for one that does not exist
 * @param wanted the applied configuration
 * @throws 409 with one cause per field that another applier owns with another value, unless `force` is set
 */
export function applied(
  owners: Ownership,
  current: KubeObject,
  wanted: Fields,
  { manager, force }: Applier,
): KubeObject {
  if (current.metadata.uid && Object.keys(owners).length === 0) written(owners, undefined, current, BEFORE_FIRST_APPLY);
  const paths = ownable(current.kind, wanted);
  const found = conflicts(owners, manager, current, wanted, paths);
  const kept = keptSinceClientApply(manager, current);
  const causes = found.filter(({ field = "" }) => !kept.has(field));
  if (causes.length > 0 && !force) throw conflictFailure(causes);
  const mine = paths.map(joined);
  const taken = new Set(mine.filter((one) => found.some((cause) => shown(one.split(SEPARATOR)) === cause.field)));
  for (const [name, owned] of Object.entries(owners)) {
    if (name !== manager) owners[name] = owned.filter((one) => !taken.has(one));
  }
  const held = new Set([
    ...mine,
    ...Object.entries(owners).flatMap(([name, owned]) => (name === manager ? [] : owned)),
  ]);
  const given = (owners[manager] ?? []).filter((one) => !held.has(one)).sort(keysLast);
  owners[manager] = mine;
  const rest = given.reduce<unknown>((object, path) => removed(object, path.split(SEPARATOR)), current);
  return mergeApplied(current.kind, "", rest, wanted) as KubeObject;
}

/** Records the manager whose server-side apply created an object. */
export const createdBy = (manager: string, created: KubeObject): Ownership => ({
  [manager]: ownable(created.kind, created).map(joined),
});

/** Owners of fields, stored beside the objects by uid. */
export type Ownerships = Collection<Ownership>;
