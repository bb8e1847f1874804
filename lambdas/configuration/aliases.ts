/** The alias by which workflows are started. A running execution stays on the version on which it began. */
export const LIVE = "live";

/**
 * The alias by which the doctor calls a workflow to test its rights and renew its credential; such a call does nothing
 * else.
 */
export const RIGHTS = "rights";
