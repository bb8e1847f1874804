import { createHash } from "node:crypto";

/**
 * Derives an operation's id from its cause, so that the same cause gives the same operation.
 * @param cluster the cluster's name
 * @param command the command's word
 * @param cause Slack's trigger id, an event's id, or a tick of a schedule
 * @returns "add-3f9c2a71"; also the name of the durable execution (letters, digits and hyphens, at most 64)
 */
export function operationId(cluster: string, command: string, cause: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([cluster, command, cause]))
    .digest("hex");
  return `${command}-${hash.slice(0, 8)}`;
}

/** Does a word have the form of an operation id? */
export const isOperationId = (word: string): boolean => /^[a-z]{1,20}-[0-9a-f]{8}$/.test(word);
