/**
 * Likely cause of a failure and its remedy, in the runbook's words: test/docs/runbook.test.ts holds each row against its
 * section.
 */
export interface Remedy {
  /** Pieces of the error, one of which is enough; a row without any matches every other failure of its stage. */
  readonly says: readonly string[];
  /** A clause without a full stop. */
  readonly cause: string;
  /** The remedy that a person can apply: a clause without a full stop. */
  readonly remedy: string;
  /** The same request would fail the same way: it is not offered again. */
  readonly isHopeless?: true;
}

/** A freeze or a hold that came meanwhile, in any stage before what cannot be undone. */
export const stopped: Remedy = {
  says: ["is frozen", "is held"],
  cause: "a freeze or a hold came meanwhile",
  remedy: "wait for its end, or end it, then try again",
};
