/** A message with buttons, which is written down before it is posted. */
export interface Card {
  /** ISO 8601. */
  readonly since: string;
  /** The message's timestamp, once Slack has taken it. */
  readonly ts?: string;
}
