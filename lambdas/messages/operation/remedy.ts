/**
 * Likely cause of a failure and its remedy, in the runbook's words: test/docs/runbook.test.ts holds each row against its
 * section.
 */
export interface Remedy {
  /** Pieces of the error, one of which is enough; a row without any matches every other failure of its stage. */
  readonly says: readonly string[];
  /** A clause without a full stop. */
  readonly cause: string;
  /** The remedy that a person can apply: a clause without a full stop, with `{win}` for the command word. */
  readonly remedy: string;
  /** Set where the row is only for a machine that was not told to reboot (true), or that was (false). */
  readonly beforeReboot?: boolean;
  /** The same request would fail the same way: it is not offered again. */
  readonly isHopeless?: true;
}

/** A freeze or a hold that was set after the request, in any stage before what cannot be undone. */
export const stopped: Remedy = {
  says: ["is frozen", "is held"],
  cause: "a freeze or a hold was set after the request",
  remedy: "wait until it ends, or end it with `{win} thaw` or `{win} unhold`, then try again",
};
