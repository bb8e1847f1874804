import { kindOf } from "./durable.ts";

/** Errors of a missing release and of an unavailable service. */
const LATER: ReadonlySet<string> = new Set(["Refused", "Retryable"]);

/**
 * Makes a handler for `catch` that returns this fallback if a service is unavailable or no release exists; the next
 * tick retries.
 * @throws any other error: a bug, or a missing permission
 */
export const orLater =
  <T>(value: T) =>
  (error: unknown): T => {
    if (LATER.has(kindOf(error))) return value;
    throw error;
  };
