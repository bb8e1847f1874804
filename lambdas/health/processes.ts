import type { Answers } from "../machine/questions.ts";

/** Id of the process of each service at a look. */
export type Processes = Readonly<Record<string, number | null>>;

/** Takes the processes from a machine's answers. */
export const processesOf = ({ services = [] }: Answers): Processes =>
  Object.fromEntries(services.map(({ name, process }) => [name, process]));

/**
 * Finds a service that was started again between two looks. One that ends at once, and that Windows starts each minute, may run at
 * every look that comes a minute after the one before.
 * @returns its name; null without one
 */
export const restarted = (before: Processes, now: Processes): string | null =>
  Object.keys(now).find((name) => name in before && before[name] !== now[name]) ?? null;
