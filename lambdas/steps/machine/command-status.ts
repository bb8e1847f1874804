const UNFINISHED = new Set(["Pending", "InProgress", "Delayed", "Cancelling"]);

/**
 * Does a command still run after this SSM status? Events write blanks into statuses. An unknown status means that it
 * has ended.
 */
export const isUnderWay = (status: string): boolean => UNFINISHED.has(status.replaceAll(" ", ""));
