import { isDeepStrictEqual } from "node:util";
import { ApiFailure, badRequest } from "../model/failure.ts";
import { type Fields, isFields, listOf } from "../model/object.ts";
import { strategicList } from "./lists.ts";

const ORDER = "$setElementOrder/";
const DELETE_PLAIN = "$deleteFromPrimitiveList/";

const isDirective = (field: string): boolean => field.startsWith("$");

const withoutDirectives = (item: Fields): Fields =>
  Object.fromEntries(Object.entries(item).filter(([field]) => !isDirective(field)));

function keyOf(item: unknown, by: string): unknown {
  if (isFields(item) && item[by] !== undefined) return item[by];
  throw new ApiFailure(500, "InternalError", `map: ${JSON.stringify(item)} does not contain declared merge key: ${by}`);
}

/** Sorts items by `order`; those that it does not name stay after their left neighbour. */
function inOrder(items: unknown[], order: readonly unknown[], key: (item: unknown) => unknown): unknown[] {
  const rank = (item: unknown): number => order.findIndex((one) => isDeepStrictEqual(key(one), key(item)));
  const ranked = items.map((item, index) => {
    const own = rank(item);
    const before = items
      .slice(0, index)
      .map(rank)
      .filter((one) => one >= 0);
    return { item, place: own >= 0 ? own : (before.at(-1) ?? -1) + 0.5 };
  });
  return ranked.sort((one, other) => one.place - other.place).map(({ item }) => item);
}

function mergeKeyed(kind: string, current: readonly unknown[], patch: readonly unknown[], by: string): unknown[] {
  if (patch.some((item) => isFields(item) && item.$patch === "replace")) {
    return patch.filter((item) => isFields(item) && item.$patch !== "replace");
  }
  let result = [...current];
  for (const item of patch) {
    const key = keyOf(item, by);
    const index = result.findIndex((one) => isFields(one) && one[by] === key);
    if (isFields(item) && item.$patch === "delete") result = result.filter((one) => isFields(one) && one[by] !== key);
    else if (index < 0) result.push(strategicMerge(kind, {}, item));
    else result[index] = strategicMerge(kind, result[index], item);
  }
  return result;
}

function mergeList(kind: string, field: string, current: unknown, patch: readonly unknown[]): unknown[] {
  const how = strategicList(kind, field);
  if (how === "atomic") return [...patch];
  const items = listOf<unknown>(current);
  if (how === "set") return [...items, ...patch.filter((one) => !items.includes(one))];
  return mergeKeyed(kind, items, patch, how.by);
}

function mergeField(kind: string, field: string, current: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) return mergeList(kind, field, current, patch);
  return isFields(patch) ? strategicMerge(kind, current, patch) : patch;
}

/** Applies the directives for a sibling list: deletions of plain values, and order. */
function applyListDirectives(kind: string, result: Fields, patch: Fields): void {
  for (const [directive, value] of Object.entries(patch)) {
    if (directive.startsWith(DELETE_PLAIN)) {
      const field = directive.slice(DELETE_PLAIN.length);
      result[field] = listOf(result[field]).filter((one) => !listOf(value).includes(one));
    }
    if (!directive.startsWith(ORDER)) continue;
    const field = directive.slice(ORDER.length);
    const how = strategicList(kind, field);
    const key = (item: unknown): unknown => (typeof how === "object" && isFields(item) ? item[how.by] : item);
    if (Array.isArray(result[field])) result[field] = inOrder(listOf(result[field]), listOf(value), key);
  }
}

function retained(result: Fields, keys: unknown): Fields {
  if (!Array.isArray(keys)) return result;
  return Object.fromEntries(Object.entries(result).filter(([field]) => keys.includes(field)));
}

/**
 * Strategic merge patch (k8s.io/apimachinery/pkg/util/strategicpatch): like a merge patch, but lists with a merge key
 * are merged item by item, and directives ($patch, $retainKeys, $setElementOrder, $deleteFromPrimitiveList) are obeyed.
 * @param kind kind of the patched object, which decides merge keys
 * @throws 400 for an unknown $patch, 500 for an item without its merge key, as the API server does
 */
export function strategicMerge(kind: string, target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  if (patch.$patch === "replace") return withoutDirectives(patch);
  if (patch.$patch === "delete") return {};
  if (patch.$patch !== undefined && patch.$patch !== "merge")
    throw badRequest(`Unknown patch type: ${String(patch.$patch)}`);
  const result: Fields = isFields(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(withoutDirectives(patch))) {
    if (value === null) delete result[field];
    else result[field] = mergeField(kind, field, result[field], value);
  }
  applyListDirectives(kind, result, patch);
  return retained(result, patch.$retainKeys);
}
