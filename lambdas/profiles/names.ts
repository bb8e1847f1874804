/** Kinds of clusters, as `cluster.profile` names them; lists them without what they hold, for code that only checks the name. */
export const profileNames = ["okd"] as const;

/** One of them. */
export type ProfileName = (typeof profileNames)[number];
