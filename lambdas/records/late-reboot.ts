/** Order to EC2 to reboot a machine, which is written before EC2 is called: EC2 does not tell afterwards that it was asked. */
export interface Ec2Reboot {
  /** Slack id of the person who pressed the button; absent where the approved plan goes through EC2. */
  readonly by?: string;
  /** ISO 8601. */
  readonly at: string;
  /** "unknown" until EC2 has answered, and for good when its answer was lost; absent once EC2 has taken the order. */
  readonly answer?: "unknown" | "refused";
}

/** Time for which the link to a screenshot works, in milliseconds. */
export const SCREENSHOT_LINK_MS = 60 * 60_000;

/** Screenshot of the console of a machine that has not come back. */
export interface Screenshot {
  /** ISO 8601: the newest attempt. */
  readonly triedAt: string;
  /** The newest picture: its time, ISO 8601, and a presigned address, which lapses. Absent where EC2 or S3 refused. */
  readonly taken?: { readonly at: string; readonly url: string };
}

/** Fields of a node's record about a reboot through EC2. */
export interface LateReboot {
  /** ISO 8601: since then the machine has been away for long in its reboot, and EC2's reboot is offered. */
  readonly lateSince?: string;
  /** The newest screenshot of its console. */
  readonly screenshot?: Screenshot;
  /** The newest order to EC2. */
  readonly ec2Reboot?: Ec2Reboot;
  /** ISO 8601: presses of the button up to then were judged. */
  readonly pressesUntil?: string;
}

/** Fields of a node's record about a node that its operation has left cordoned. */
export interface LeftNode {
  /** Decision of a person since then, in words: its message asks for nothing any more. */
  readonly settled?: string;
}
