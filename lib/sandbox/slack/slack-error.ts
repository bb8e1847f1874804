import type { Fault } from "./block-kit/check.ts";
import { sentence } from "./block-kit/validate.ts";

/** A refusal of the Web API: HTTP 200 with `{ ok: false, error }`, as Slack answers. */
export class SlackError extends Error {
  readonly code: string;
  /** Further fields of the answer: response_metadata, needed, provided, errors. */
  readonly details: Readonly<Record<string, unknown>>;
  constructor(code: string, details: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.name = "SlackError";
    this.code = code;
    this.details = details;
  }
}

/** An error with its reasons in response_metadata.messages, each after "[ERROR]". */
export const explained = (code: string, reasons: readonly string[]): SlackError =>
  new SlackError(code, {
    errors: reasons,
    response_metadata: { messages: reasons.map((reason) => `[ERROR] ${reason}`) },
  });

/** Throws `code` with Slack's sentences when there are faults. */
export function refuseFaults(code: string, faults: readonly Fault[]): void {
  if (faults.length > 0) throw explained(code, faults.map(sentence));
}
