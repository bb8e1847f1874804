/** Fields of a node's record about a machine that does not come back from its reboot. */
export interface LateReboot {
  /** ISO 8601: since then the machine has been away for long in its reboot, and EC2's reboot is offered. */
  readonly lateSince?: string;
  /** EC2 was asked to reboot the machine, because it did not come back. */
  readonly ec2Reboot?: { readonly by: string; readonly at: string };
}
