import { code } from "../slack/text.ts";

/** State that a failed or cancelled removal leaves, as a clause. */
export const removalLeaves = {
  untouched: "nothing was changed",
  cordoned: (node: string, why: string): string =>
    `the node is still cordoned, because ${why}; ${code(`kubectl uncordon ${node}`)} makes it schedulable now, and the sweep does within 15 minutes if it can`,
  terminating: (instanceId: string): string =>
    `EC2 is terminating ${code(instanceId)}; its Node stays until the cluster deletes it`,
} as const;

/** Reason why a dialog was not confirmed. */
export type Unconfirmed = "closed" | "cancel" | "time";

/** Outcome of a removal that was not confirmed. */
export const unconfirmed: Readonly<Record<Unconfirmed, string>> = {
  closed: "The dialog was closed. Nothing was changed.",
  cancel: "Cancelled. Nothing was changed.",
  time: "The dialog timed out. Nothing was changed.",
};
