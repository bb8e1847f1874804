/** Limit on the machines of one command (API reference, SendCommand: InstanceIds has at most 50 items). */
export const MOST_MACHINES = 50;

/**
 * Most groups of up to 50 machines that run together. SSM cancels a command with RateExceeded if more invocations wait
 * for their agents than the account may have (user guide, "Understanding command statuses"); AWS publishes no figure.
 * 500 leave half of the 1,000 that the sandbox assumes to other work, and 1,000 machines are two rounds.
 */
export const GROUPS_AT_ONCE = 10;

/** Rounds in which machines get one command. */
export const roundsOf = (machines: number): number => Math.ceil(machines / (GROUPS_AT_ONCE * MOST_MACHINES));
