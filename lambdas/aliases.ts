/** The alias by which workflows are started. A running execution stays on the version that it began on. */
export const LIVE = "live";

/** The alias by which a workflow is asked to try its own rights and renew its own credential; it does no work for whoever calls it so. */
export const RIGHTS = "rights";
