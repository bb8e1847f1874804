import { typeThis } from "../command/syntax.ts";

/** Says what a person can do about the operation that works on a node. A proof cannot be stopped. */
export const waitOrStop = (operation: string): string =>
  operation.startsWith("prove-")
    ? "wait for its end: a proof moves no pod, and cannot be stopped"
    : `wait for it to end, or stop it: ${typeThis("cancel", operation)}`;
