import type { FailureCode } from "../../records/failures.ts";

/**
 * Likely cause of a failure and its remedy, in the runbook's words: test/docs/runbook.test.ts compares each with its
 * row.
 */
export interface Remedy {
  /** A clause without a full stop. */
  readonly cause: string;
  /** The remedy that a person can apply: a clause without a full stop, with `{win}` for the command word. */
  readonly remedy: string;
  /** The remedy where the machine is kept already, if that is another one. */
  readonly ofKept?: string;
}

/** Remedies of codes at any stage; null for a code that is less precise than its stage. */
export type CodeRemedies = Partial<Readonly<Record<FailureCode, Remedy | null>>>;

/** Remedies of one stage. */
export interface StageRemedies {
  /** For failures without a remedy by code, such as codes of a newer release and records without a code. */
  readonly own: Remedy;
  /** Codes whose meaning at this stage differs from that at the others. */
  readonly unlike?: Partial<Readonly<Record<FailureCode, Remedy>>>;
}
