/** Order to EC2 to reboot a machine. It is recorded before the call to EC2, because EC2 does not list such orders. */
export interface Ec2Reboot {
  /** Slack id of the person who pressed the button; absent where the approved plan goes through EC2. */
  readonly by?: string;
  /** ISO 8601. */
  readonly at: string;
  /** "unknown" until EC2 answers, and also if its answer was lost; absent once EC2 has accepted the order. */
  readonly answer?: "unknown" | "refused";
}

/** Milliseconds for which the link to a screenshot works. */
export const SCREENSHOT_LINK_MS = 60 * 60_000;

/** Screenshot of the console of a machine that does not answer after its reboot. */
export interface Screenshot {
  /** ISO 8601: the newest attempt. */
  readonly triedAt: string;
  /** The newest picture: its time (ISO 8601) and a presigned URL, which expires. Absent if EC2 or S3 refused. */
  readonly taken?: { readonly at: string; readonly url: string };
}

/** Fields of a node's record about a reboot through EC2. */
export interface LateReboot {
  /** ISO 8601: time since which the reboot is late, so that a button offers a reboot through EC2. */
  readonly lateSince?: string;
  /** The newest screenshot of its console. */
  readonly screenshot?: Screenshot;
  /** The newest order to EC2. */
  readonly ec2Reboot?: Ec2Reboot;
  /** ISO 8601: presses of the button until this time are handled. */
  readonly pressesUntil?: string;
}
