import { AwsError } from "../core/aws-service.ts";
import { PAGE_ITEMS, PAGE_ITEMS_MAXIMUM } from "./limits.ts";
import type { Execution, ExecutionStatus } from "./model.ts";

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextMarker: string | undefined;
}

/**
 * The page size that was asked for; 0 and nothing mean the default.
 * @throws AwsError InvalidParameterValueException above 1,000
 */
export function pageSize(query: URLSearchParams): number {
  const asked = Number(query.get("MaxItems") ?? 0);
  if (Number.isInteger(asked) && asked >= 0 && asked <= PAGE_ITEMS_MAXIMUM) return asked || PAGE_ITEMS;
  throw new AwsError("InvalidParameterValueException", `MaxItems must be between 0 and ${PAGE_ITEMS_MAXIMUM}.`);
}

/** Cuts a list into pages; a marker is the place of the next item. */
export function paged<T>(items: readonly T[], query: URLSearchParams): Page<T> {
  const first = Number(Buffer.from(query.get("Marker") ?? "", "base64").toString() || 0);
  if (!Number.isInteger(first) || first < 0) throw new AwsError("InvalidParameterValueException", "Invalid marker.");
  const next = first + pageSize(query);
  const nextMarker = next < items.length ? Buffer.from(String(next)).toString("base64") : undefined;
  return { items: items.slice(first, next), nextMarker };
}

/** Whether a query parameter says yes. */
export const isAsked = (query: URLSearchParams, name: string): boolean => query.get(name) === "true";

const instant = (query: URLSearchParams, name: string, otherwise: number): number => {
  const text = query.get(name);
  if (text === null) return otherwise;
  const time = new Date(text).getTime();
  if (!Number.isNaN(time)) return time;
  throw new AwsError("InvalidParameterValueException", `${name} is not a time: ${text}`);
};

const STATUSES: ReadonlySet<string> = new Set<ExecutionStatus>([
  "RUNNING",
  "SUCCEEDED",
  "FAILED",
  "TIMED_OUT",
  "STOPPED",
]);

function statusesIn(query: URLSearchParams): string[] {
  const statuses = query.getAll("Statuses");
  const unknown = statuses.find((status) => !STATUSES.has(status));
  if (unknown === undefined) return statuses;
  throw new AwsError("InvalidParameterValueException", `There is no status ${unknown}.`);
}

/**
 * Executions of a function as ListDurableExecutionsByFunction selects them: newest first unless reversed.
 * @param version only executions of this version; undefined: of all
 * @throws AwsError InvalidParameterValueException for a status or a time that is none
 */
export function listed(
  all: readonly Execution[],
  name: string,
  version: string | undefined,
  query: URLSearchParams,
): Execution[] {
  const statuses = statusesIn(query);
  const called = query.get("DurableExecutionName");
  const after = instant(query, "StartedAfter", Number.NEGATIVE_INFINITY);
  const before = instant(query, "StartedBefore", Number.POSITIVE_INFINITY);
  const sign = isAsked(query, "ReverseOrder") ? 1 : -1;
  return all
    .filter((one) => one.functionName === name && (version === undefined || one.version === version))
    .filter(
      (one) => (called === null || one.name === called) && (statuses.length === 0 || statuses.includes(one.status)),
    )
    .filter((one) => one.startedAt > after && one.startedAt < before)
    .sort((one, other) => sign * (one.startedAt - other.startedAt));
}
