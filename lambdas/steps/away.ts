import { ApiException } from "@kubernetes/client-node";
import type { UnavailableService } from "../messages/node/away.ts";
import { NoAnswer } from "../time-limit.ts";
import { isBusy, wordsOf } from "./client-errors.ts";

/** Is the status a refusal, whose words must be shown? For a busy service the status is enough. */
const isRefusal = (status: number): boolean => status < 500 && status !== 429;

function reasonOf(error: Error, seconds: number): UnavailableService["reason"] {
  if (error instanceof NoAnswer) return { kind: "silent", seconds };
  if (error instanceof ApiException)
    return { kind: "answered", with: String(error.code), words: isRefusal(error.code) ? wordsOf(error) : null };
  if ("$metadata" in error) return { kind: "answered", with: error.name, words: isBusy(error) ? null : wordsOf(error) };
  return { kind: "failed", words: wordsOf(error) };
}

/**
 * Describes why a service gave no answer.
 * @param seconds the time limit of the call
 * @throws the error if it does not come from a service but from a bug in this code
 */
export function awayOf(
  service: UnavailableService["service"],
  host: string | null,
  error: unknown,
  seconds: number,
): UnavailableService {
  const fromService =
    error instanceof Error && (isBusy(error) || error instanceof ApiException || "$metadata" in error);
  if (!fromService) throw error;
  return { service, host, reason: reasonOf(error, seconds) };
}
