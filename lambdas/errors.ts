/** The request makes no sense: told to the requester alone, with the right form. Nothing was started. */
export class UserError extends Error {
  override readonly name = "UserError";
}

/** The requester may not: told to the requester alone, written to the ledger. */
export class Forbidden extends Error {
  override readonly name = "Forbidden";
}

/** Policy, ownership or safety forbids it: reported to the requester and written to the ledger. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/** A freeze or a hold forbids it, for as long as that is in force. */
export class Stopped extends Refused {}

/** A service was busy: the step that threw it tries again with backoff. */
export class Retryable extends Error {
  override readonly name = "Retryable";
}
