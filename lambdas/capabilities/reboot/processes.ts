import type { Answers } from "../../machine/questions.ts";

/**
 * The process of each service at an observation: its id and, if the machine tells it, its start. Null if the service does
 * not run. Windows soon gives the id of an ended process to another one, so that the id alone does not tell two apart
 * (https://learn.microsoft.com/en-us/windows/win32/api/processthreadsapi/ns-processthreadsapi-process_information).
 */
export type Processes = Readonly<Record<string, string | null>>;

/** Takes the processes from a machine's answers. */
export const processesOf = ({ services = [] }: Answers): Processes =>
  Object.fromEntries(
    services.map(({ name, process, startedAt }) => [
      name,
      process ? [process, startedAt ?? ""].join(" ").trim() : null,
    ]),
  );

/**
 * Finds a service that restarted between two observations. A service that ends immediately and that Windows restarts
 * each minute may run at every observation, so its state alone is not enough.
 * @returns its name; null if there is none
 */
export const restarted = (before: Processes, now: Processes): string | null =>
  Object.keys(now).find((name) => name in before && before[name] !== now[name]) ?? null;

/**
 * Finds a service that still runs the process from before its restart.
 * @param before the processes of the services that are restarted
 * @returns its name; null if each has ended or has another process
 */
export const notRestarted = (before: Processes, now: Processes): string | null =>
  Object.keys(before).find((name) => before[name] && before[name] === now[name]) ?? null;
