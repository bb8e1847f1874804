const UNFINISHED = new Set(["Pending", "InProgress", "Delayed", "Cancelling"]);

/**
 * Tells whether a command goes on after a status of SSM's. Its events write blanks into statuses; an unknown status has
 * ended.
 */
export const isUnderWay = (status: string): boolean => UNFINISHED.has(status.replaceAll(" ", ""));
