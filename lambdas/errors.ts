import type { FailureCode } from "./records/failures.ts";

/** The request is not valid. Only the requester gets the message, with the right form; nothing was started. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** The policy does not allow the request. Only the requester gets the message; the ledger records it. */
export class Forbidden extends Error {
  override readonly name = "Forbidden";
}

/** Consequence of an input that cannot be read, in the reason for it; an addition says in its place what became of the machine. */
export const NO_NODE_CHANGED = "so no node was changed";

/** Appends the code to an error's name, because a durable step only preserves an error's name and message. */
export const codedName = (name: string, code?: FailureCode): string => (code === undefined ? name : `${name}:${code}`);

/** Cause of an error, and the code of the failure if it ends a stage. */
interface CodedOptions extends ErrorOptions {
  readonly code?: FailureCode | undefined;
}

/** Policy, ownership or a safety rule forbids the work. The requester gets the message, and the ledger records it. */
export class Refused extends Error {
  override readonly name: string;

  constructor(message: string, { code, ...options }: CodedOptions = {}) {
    super(message, options);
    this.name = codedName("Refused", code);
  }
}

/** A freeze or a hold forbids the work while it is in force. */
export class Stopped extends Refused {
  constructor(message: string) {
    super(message, { code: "frozen-or-held" });
  }
}

/** A service was busy: the step that threw this error is retried with backoff. */
export class Retryable extends Error {
  override readonly name: string;

  constructor(message: string, { code, ...options }: CodedOptions = {}) {
    super(message, options);
    this.name = codedName("Retryable", code);
  }
}
