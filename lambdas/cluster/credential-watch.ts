import type { Account } from "./accounts.ts";
import type { Term } from "./credential-term.ts";

/** Outcome of one tick of the schedule for one account's credential. */
export interface Renewal {
  readonly account: Account;
  /** "kept": not due yet, and nothing is wrong with it. */
  readonly state: "kept" | "renewed" | "failed";
  /** Reason of a failure, in the API server's or Secrets Manager's words; null when it did not fail. */
  readonly why: string | null;
  /** Of the credential that is stored now; null when nothing is stored that says it. */
  readonly term: Term | null;
  /** Is the stored credential unusable: expired, refused by the API server, or missing? */
  readonly isOver: boolean;
}

/** Something that people are to be told of an account's credential. */
export interface CredentialNews {
  readonly say: "failing" | "ended" | "well";
  readonly renewal: Renewal;
}

/** Last news that people were given of an account's credential. */
export type LastNews = "nothing" | "failing" | "ended";

/** One account's credential as the schedule watches it, from tick to tick. */
export interface WatchedCredential {
  /** Ticks in a row at which it could not be renewed, or was found wanting. */
  readonly failures: number;
  readonly told: LastNews;
}

/** One failure may be a moment's: people are called at the second in a row. */
const CALL_AT = 2;

/**
 * Decides what people are told at a tick.
 * @param before as the last tick left it; undefined at the first
 * @returns the state now, and the message to send: null when people know already, or need not
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
  const stands = renewal.isOver ? "ended" : "failing";
  const isNews = told === "nothing" || (told === "failing" && stands === "ended");
  return isNews ? { after: { failures, told: stands }, say: stands } : { after: { failures, told }, say: null };
}
