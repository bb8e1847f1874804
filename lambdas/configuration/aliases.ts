/** The alias by which workflows are started. A running execution stays on the version that it began on. */
export const LIVE = "live";

/**
 * The alias by which a workflow is asked to try its own rights and renew its own credential; a call by this alias does no
 * other work.
 */
export const RIGHTS = "rights";
