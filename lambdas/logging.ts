import { AsyncLocalStorage } from "node:async_hooks";
import { type LogEvent, type LogFields, type LogLevel, logLine } from "./log.ts";
import { METRICS, metricLine } from "./metrics.ts";

/** Place that lines go to, and the clock that dates them. */
export interface LogRuntime {
  readonly settings: { readonly cluster: string };
  readonly now: () => number;
  /** Writes a line of the function's log, as it is; by default to standard output. */
  readonly log?: ((line: string) => void) | undefined;
}

interface Scope extends LogRuntime {
  about: LogFields;
}

/** The invocation that code runs for: a client deep below must name the operation without being handed it. */
const scopes = new AsyncLocalStorage<Scope>();

/** Past Node's console, which would put a date and an id before the line. */
export const standardOutput = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/**
 * Does the work of an invocation; lines that are logged meanwhile carry these fields. Outside such work nothing is logged.
 * @param about fields of every line
 */
export const withLog = <T>(runtime: LogRuntime, about: LogFields, work: () => T): T =>
  scopes.run({ ...runtime, about }, work);

/** Adds fields to every further line of this invocation. */
export function logAbout(fields: LogFields): void {
  const scope = scopes.getStore();
  if (scope) scope.about = { ...scope.about, ...fields };
}

/** Logs a line. A workflow runs its code again at every resumption: there this belongs into a step or a poll. */
export function log(level: LogLevel, event: LogEvent, fields: LogFields): void {
  const scope = scopes.getStore();
  if (scope) (scope.log ?? standardOutput)(logLine(level, event, { ...scope.about, ...fields }, scope.now()));
}

/** Logs a value of a metric of the cluster's. Belongs into a step, as `log` does. */
export function logMetric(name: string, value: number, dimensions: Readonly<Record<string, string>> = {}): void {
  const scope = scopes.getStore();
  if (!scope) return;
  const all = { [METRICS.cluster]: scope.settings.cluster, ...dimensions };
  (scope.log ?? standardOutput)(metricLine(all, name, value, scope.now()));
}
