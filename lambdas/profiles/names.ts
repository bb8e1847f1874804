/** Kinds of clusters, as `cluster.profile` names them: only names, for code that needs no profile's content. */
export const profileNames = ["okd"] as const;

/** Name of a profile. */
export type ProfileName = (typeof profileNames)[number];

/** Explains that `cluster.profile` names no profile. */
export const otherProfile = `must be ${profileNames.join(" or ")}: other kinds of cluster have no profile yet (docs/requirements.md)`;
