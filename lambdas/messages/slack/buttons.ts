/** Action ids of the buttons, as Slack sends them back. */
export const CANCEL_OPERATION = "cancel-operation";
export const KEEP_INSTANCE = "keep-instance";
export const TERMINATE_INSTANCE = "terminate-instance";

/** Callback id of the removal's dialog. */
export const REMOVE_DIALOG = "remove-node";
