import { code } from "../../messages/slack/text.ts";

/** State of the machine if a removal fails or is cancelled after EC2 accepted the termination, as a clause. */
export const removalLeaves = {
  terminating: (instanceId: string): string =>
    `EC2 is terminating ${code(instanceId)}; its Node stays until the cluster deletes it`,
} as const;

/** Failure of a removal whose machine registered another Node meanwhile, with the next step. */
export const registeredMeanwhile = (node: string, instanceId: string): string =>
  `${instanceId} registered as ${node} during the removal, so it may have pods that were not evicted. Next: remove it again, which shows them`;

/** Reason why a dialog was not confirmed. */
export type DialogEnd = "closed" | "cancel" | "time";

/** Outcome of a removal that was not confirmed. */
export const unconfirmed: Readonly<Record<DialogEnd, string>> = {
  closed: "The dialog was closed. Nothing was changed.",
  cancel: "Cancelled. Nothing was changed.",
  time: "The dialog timed out. Nothing was changed.",
};
