/** A person's answer to a question, by a button or in a dialog. */
export type Answer =
  | "submitted"
  | "closed"
  | "keep"
  | "terminate"
  | "ec2-reboot"
  | "continue"
  | "cancel"
  | "approve"
  | "deny";
