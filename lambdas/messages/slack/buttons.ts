/** Action ids of the buttons, as Slack sends them back. */
export const CANCEL_OPERATION = "cancel-operation";
export const KEEP_INSTANCE = "keep-instance";
export const TERMINATE_INSTANCE = "terminate-instance";
/** Buttons under failures with one cause; their value names the machines that the message lists. */
export const KEEP_ONE = "keep-one";
export const KEEP_ALL = "keep-all";
export const TERMINATE_ALL = "terminate-all";
export const TRY_AGAIN = "try-again";

/**
 * Buttons under a drain that has passed its deadline; one for each command, because each command has its own
 * permission.
 */
export const CONTINUE_DRAIN = "continue-drain";
export const CONTINUE_REBOOT = "continue-reboot";
export const CONTINUE_REMOVAL = "continue-removal";
export const REBOOT_WITH_PODS = "reboot-with-pods";

/** Buttons under a failure, whose value is the command as it is typed; ids are unique within a row of buttons. */
export const INSTALL_GUARD = "install-guard";
export const REBOOT_THROUGH_EC2 = "reboot-through-ec2";
export const PROVE_AGAIN = "prove-again";
export const KEEP_CORDONED = "keep-cordoned";
export const UNCORDON_NODE = "uncordon-node";

/** Button under a reboot whose machine has not come back. */
export const EC2_REBOOT = "ec2-reboot";

/**
 * Buttons of a look's answer: repeat the look, or run the command that helps. Their value is the command as it is
 * typed.
 */
export const LOOK_AGAIN = "look-again";
export const DO_NEXT = "do-next";
/** Button beside "do-next" of an offer with two ways; its value is a command too. */
export const RESTART_SERVICES = "restart-services";

/** Button under a call: the person who presses it has what waits, and its reminders are silent for an hour. */
export const TAKE_WAIT = "take-wait";

/** Buttons of a rollout. */
export const PAUSE_ROLLOUT = "pause-rollout";
export const RESUME_ROLLOUT = "resume-rollout";
export const RESUME_WITH_MORE = "resume-with-more";

export const APPROVE_OPERATION = "approve-operation";
export const DENY_OPERATION = "deny-operation";
/** Button beside them, for those who may act without waiting for an approval. */
export const RUN_UNAPPROVED = "run-unapproved";

/** Buttons that open an address: Slack reports a click on them too, and Casement ignores it. */
export const OPEN_RUNBOOK = "open-runbook";
export const OPEN_AWS = "open-aws";
export const OPEN_SCREENSHOT = "open-screenshot";

/** Callback id of the removal's dialog. */
export const REMOVE_DIALOG = "remove-node";

/** Callback id of the dialog that asks for the reason of a denial. */
export const DENY_DIALOG = "deny-operation";
