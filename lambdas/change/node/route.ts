import { MINUTE } from "../../engine/durable.ts";
import type { LineReading } from "../../engine/fleet-batch.ts";
import type { RouteRequest, RouteResult } from "../../machine/plan.ts";
import { codeOfScript } from "../../records/failures.ts";

/** Reads the result line of `route.ps1`. */
export function readRoute(result: object): LineReading<true> {
  const { ok, failed } = result as Partial<RouteResult>;
  if (ok === true) return { value: true };
  if (!failed) return { why: "route.ps1 did not finish and does not say why", code: "script-failed" };
  return { why: `${failed.action}: ${failed.error}`, code: codeOfScript(failed) };
}

/**
 * Makes the request that installs the guard, or removes it.
 * @param now milliseconds since the epoch
 * @param minutes in which the machine must begin
 */
export const routeRequest = (
  what: RouteRequest["do"],
  operation: string,
  now: number,
  minutes: number,
): RouteRequest => ({
  do: what,
  operation,
  madeAt: Math.floor(now / 1_000),
  notAfter: Math.floor((now + minutes * MINUTE) / 1_000),
});
