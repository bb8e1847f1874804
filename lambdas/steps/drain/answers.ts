import { ApiException } from "@kubernetes/client-node";
import { bodyOf, causesOf, isBusy, wordsOf } from "../client-errors.ts";

// Codes, reasons and words are those with which a 1.34.4 server answered POST …/eviction.

/** Source of a refusal that is permanent, or lasts until a person changes something. */
export type RefusalSource = "rbac" | "policy" | "webhook" | "unconfirmed" | "namespace" | "request";

/** Meaning of the API server's answer to one eviction. */
export type AnswerMeaning =
  | { readonly kind: "accepted" }
  /** The pod does not exist, or another pod has its name. */
  | { readonly kind: "gone" }
  /** The budget allows no eviction now, or is still being processed. */
  | { readonly kind: "budget"; readonly words: string; readonly retryAfterMs: number | null }
  | { readonly kind: "several-budgets"; readonly words: string }
  /** The server is overloaded: every eviction waits, not only this one. */
  | { readonly kind: "overload"; readonly words: string; readonly retryAfterMs: number | null }
  /** The pod's namespace is being deleted, which deletes the pod within seconds. */
  | { readonly kind: "namespace-ends"; readonly words: string }
  | { readonly kind: "refused"; readonly by: RefusalSource; readonly words: string }
  /** The server gave no answer about this pod: 5xx, a reset, a time-out. */
  | { readonly kind: "unanswered"; readonly words: string };

/**
 * Longest time in milliseconds for which an answer keeps a drain from asking again: the API server itself asks for ten seconds
 * at most, a proxy in front of it may ask for an hour.
 */
const LONGEST_RETRY_MS = 60_000;

/** Milliseconds that the server asks the client to wait; null if it does not say. */
function retryAfterOf({ headers }: ApiException<unknown>): number | null {
  const seconds = Number.parseInt(headers["retry-after"] ?? headers["Retry-After"] ?? "", 10);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, LONGEST_RETRY_MS) : null;
}

/** Is it a webhook's refusal? A webhook may choose any code, even 429 and 403, but its words always begin alike. */
const isWebhooks = (words: string): boolean => words.startsWith("admission webhook ");

const isPolicys = (words: string): boolean => words.includes("ValidatingAdmissionPolicy '");

const isAnotherPod = (words: string): boolean => words.includes("in the precondition");

function tooMany(error: ApiException<unknown>, words: string): AnswerMeaning {
  const retryAfterMs = retryAfterOf(error);
  const budget = causesOf(error).find(({ reason }) => reason === "DisruptionBudget");
  if (budget) return { kind: "budget", words: budget.message ?? words, retryAfterMs };
  // The server's fairness queues answer in plain text; JSON without a cause is another component's refusal.
  return { kind: "overload", words: bodyOf(error) === undefined ? "too many requests" : words, retryAfterMs };
}

function forbidden(error: ApiException<unknown>, words: string): AnswerMeaning {
  if (causesOf(error).some(({ reason }) => reason === "NamespaceTerminating")) return { kind: "namespace-ends", words };
  if (isPolicys(words)) return { kind: "refused", by: "policy", words };
  if (words.includes("DisruptedPods map too big")) return { kind: "refused", by: "unconfirmed", words };
  return { kind: "refused", by: words.includes(" cannot ") ? "rbac" : "policy", words };
}

type Reader = (error: ApiException<unknown>, words: string) => AnswerMeaning;

const readers: Readonly<Record<number, Reader>> = {
  400: (_error, words) => ({ kind: "refused", by: "request", words }),
  403: forbidden,
  404: () => ({ kind: "gone" }),
  409: (_error, words) => (isAnotherPod(words) ? { kind: "gone" } : { kind: "unanswered", words }),
  422: (_error, words) => ({ kind: "refused", by: isPolicys(words) ? "policy" : "request", words }),
  429: tooMany,
  500: (_error, words) =>
    words.includes("more than one PodDisruptionBudget")
      ? { kind: "several-budgets", words }
      : { kind: "unanswered", words },
};

/**
 * Classifies the failure of an eviction, or of its dry run.
 * @param error anything that the client threw
 * @throws the error itself if it is not an answer about an eviction: a rejected credential, a bug
 */
export function meaningOf(error: unknown): AnswerMeaning {
  if (error instanceof ApiException && error.code !== 401) {
    const words = wordsOf(error);
    if (isWebhooks(words)) return { kind: "refused", by: "webhook", words };
    const read = readers[error.code];
    if (read) return read(error, words);
  }
  if (isBusy(error)) return { kind: "unanswered", words: wordsOf(error) };
  throw error;
}
