import type { FailureCode } from "./records/failures.ts";

/** The request makes no sense: told to the requester alone, with the right form. Nothing was started. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** The requester may not: told to the requester alone, written to the ledger. */
export class Forbidden extends Error {
  override readonly name = "Forbidden";
}

/** Adds its code to an error's name: beyond a durable step an error keeps nothing but its name and its message. */
export const codedName = (name: string, code?: FailureCode): string => (code === undefined ? name : `${name}:${code}`);

/** Cause of an error, and the code of the failure that it becomes where it ends a stage. */
interface CodedOptions extends ErrorOptions {
  readonly code?: FailureCode | undefined;
}

/** Policy, ownership or safety forbids it: reported to the requester and written to the ledger. */
export class Refused extends Error {
  override readonly name: string;

  constructor(message: string, { code, ...options }: CodedOptions = {}) {
    super(message, options);
    this.name = codedName("Refused", code);
  }
}

/** A freeze or a hold forbids it, for as long as that is in force. */
export class Stopped extends Refused {
  constructor(message: string) {
    super(message, { code: "frozen-or-held" });
  }
}

/** A service was busy: the step that threw it tries again with backoff. */
export class Retryable extends Error {
  override readonly name: string;

  constructor(message: string, { code, ...options }: CodedOptions = {}) {
    super(message, options);
    this.name = codedName("Retryable", code);
  }
}
