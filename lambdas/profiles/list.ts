import type { ProfileName } from "./names.ts";
import { okd } from "./okd/okd.ts";
import type { Profile } from "./profile.ts";

const profiles: Readonly<Record<ProfileName, Profile>> = { okd };

/** Selects the profile that a configuration names. No other code selects one. */
export const profileOf = ({ cluster }: { readonly cluster: { readonly profile: ProfileName } }): Profile =>
  profiles[cluster.profile];
