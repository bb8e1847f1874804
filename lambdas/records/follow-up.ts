/** An operation that a person started by a button in the message of another one. */
export interface FollowUp {
  /** The node under whose failure the button was; null for a button of the whole operation. */
  readonly index: number | null;
  /** Id of the operation that was started. */
  readonly operation: string;
  /** Slack id of the person. */
  readonly by: string;
  /** ISO 8601. */
  readonly at: string;
  /** Name of the workspace in the addresses of its messages. */
  readonly domain: string;
}

/** Follow-ups that the record of an operation holds; earlier ones are over. */
export const MOST_FOLLOW_UPS = 20;

/** A follow-up whose operation has a message, as the message that started it shows it. */
export interface ShownFollowUp extends FollowUp {
  readonly channel: string;
  readonly messageTs: string;
}
