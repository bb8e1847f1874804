import { bareName } from "../records/failures.ts";
import { causeOf } from "./durable.ts";

/** Errors without a release, or while a service is away. */
const LATER: ReadonlySet<string> = new Set(["Refused", "Retryable"]);

/**
 * Goes on with this value while a service or the release is away: a later tick of the schedule makes up for it. For `catch`.
 * @throws any other error: a bug, or a missing right
 */
export const orLater =
  <T>(value: T) =>
  (error: unknown): T => {
    if (LATER.has(bareName(causeOf(error)))) return value;
    throw error;
  };
