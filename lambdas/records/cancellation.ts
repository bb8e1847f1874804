/** A person's request to cancel an operation. */
export interface CancelRequest {
  readonly by: string;
  /** Slack's trigger id of the click or command. */
  readonly cause: string;
}

/** The fields of an operation that tell who cancels it. */
export interface CancelFields {
  readonly cancelledBy: string | null;
  /** Slack's trigger id of the click or command that cancelled it. */
  readonly cancelCause?: string;
  /** The cause of the cancellation that the workflow has checked and accepted. */
  readonly cancelAllowed?: string;
  /** Cause and person of another cancellation, valid if the one before it is withdrawn; missing or null without one. */
  readonly cancelNextCause?: string | null;
  readonly cancelNextBy?: string | null;
}
