import type { Account } from "./accounts.ts";
import type { Term } from "./credential-term.ts";

/** Outcome of one tick of the schedule for one account's credential. */
export interface Renewal {
  readonly account: Account;
  /** "kept": the credential works, and its renewal is not due yet. */
  readonly state: "kept" | "renewed" | "failed";
  /** Error of the API server or of Secrets Manager; null without a failure. */
  readonly why: string | null;
  /** Term of the stored credential; null if none is stored, or it does not contain one. */
  readonly term: Term | null;
  /** Is the stored credential unusable: expired, refused by the API server, or missing? */
  readonly isOver: boolean;
}

/** Message to people about an account's credential. */
export interface CredentialNews {
  readonly say: "failing" | "ended" | "well";
  readonly renewal: Renewal;
}

/** Last message to people about an account's credential. */
export type LastNews = "nothing" | "failing" | "ended";

/** State of one account's credential, which the schedule keeps from tick to tick. */
export interface WatchedCredential {
  /** Number of consecutive ticks at which it could not be renewed, or did not work. */
  readonly failures: number;
  readonly told: LastNews;
}

/** People are called at the second consecutive failure, because a single one may be temporary. */
const CALL_AT = 2;

/**
 * Decides which message people get at a tick.
 * @param before the state after the last tick; undefined at the first
 * @returns the new state, and the message; null if people know already, or need not know
 */
export function watchCredential(
  before: WatchedCredential | undefined,
  renewal: Pick<Renewal, "state" | "isOver">,
): { readonly after: WatchedCredential; readonly say: CredentialNews["say"] | null } {
  const told = before?.told ?? "nothing";
  if (renewal.state !== "failed")
    return { after: { failures: 0, told: "nothing" }, say: told === "nothing" ? null : "well" };
  const failures = (before?.failures ?? 0) + 1;
  if (failures < CALL_AT) return { after: { failures, told }, say: null };
  const news = renewal.isOver ? "ended" : "failing";
  const isNews = told === "nothing" || (told === "failing" && news === "ended");
  return isNews ? { after: { failures, told: news }, say: news } : { after: { failures, told }, say: null };
}
