import { AsyncLocalStorage } from "node:async_hooks";
import { type LogEvent, type LogFields, type LogLevel, logLine } from "./log.ts";
import { METRICS, metricLine } from "./metrics.ts";

/** Cluster, clock and destination of log lines. */
export interface LogRuntime {
  readonly settings: { readonly cluster: string };
  readonly now: () => number;
  /** Writes a line of the function's log, unchanged; by default to standard output. */
  readonly log?: ((line: string) => void) | undefined;
}

interface Scope extends LogRuntime {
  about: LogFields;
}

/** The current invocation: a client far below can log the operation without getting it as an argument. */
const scopes = new AsyncLocalStorage<Scope>();

/** Writes a line without Node's console, which Lambda replaces with one that puts a date and an id before each line. */
export const standardOutput = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/**
 * Runs the work of an invocation, whose log lines contain the fields of `about`. Outside of such work nothing is
 * logged.
 * @param about fields of every line
 */
export const withLog = <T>(runtime: LogRuntime, about: LogFields, work: () => T): T =>
  scopes.run({ ...runtime, about }, work);

/** Adds fields to all later lines of this invocation. */
export function logAbout(fields: LogFields): void {
  const scope = scopes.getStore();
  if (scope) scope.about = { ...scope.about, ...fields };
}

/** Logs a line. In a workflow, call this only inside a step or a poll: other code runs again at every resumption. */
export function log(level: LogLevel, event: LogEvent, fields: LogFields): void {
  const scope = scopes.getStore();
  if (scope) (scope.log ?? standardOutput)(logLine(level, event, { ...scope.about, ...fields }, scope.now()));
}

/** Logs a value of one of the cluster's metrics. In a workflow, call this only inside a step, like `log`. */
export function logMetric(name: string, value: number, dimensions: Readonly<Record<string, string>> = {}): void {
  const scope = scopes.getStore();
  if (!scope) return;
  const all = { [METRICS.cluster]: scope.settings.cluster, ...dimensions };
  (scope.log ?? standardOutput)(metricLine(all, name, value, scope.now()));
}
