import type { FailureCode } from "../../records/failures.ts";

/** Likely cause of a failure and its remedy, in the runbook's words: test/docs/runbook.test.ts holds each against its row. */
export interface Remedy {
  /** A clause without a full stop. */
  readonly cause: string;
  /** The remedy that a person can apply: a clause without a full stop, with `{win}` for the command word. */
  readonly remedy: string;
}

/** Remedies of codes, whichever stage they end; null for a code that says less than the stage does. */
export type CodeRemedies = Partial<Readonly<Record<FailureCode, Remedy | null>>>;

/** Remedies of one stage. */
export interface StageRemedies {
  /** For every failure that has none by its code: codes of a newer release too, and records without a code. */
  readonly own: Remedy;
  /** Codes that mean something else at this stage than at the others. */
  readonly unlike?: Partial<Readonly<Record<FailureCode, Remedy>>>;
}
