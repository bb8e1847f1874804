import { type ImageLocation, isInside, locationOf, wildcardOf } from "./location.ts";
import type { MirrorRule } from "./mirror-sets.ts";

/** A source, or a wildcard of sources, and whether it may be contacted. */
interface SourceRule {
  readonly scope: ImageLocation;
  readonly forbids: boolean;
}

/** Rules for the place where a mirror lies: those of the other lines, and of the cluster's image configuration. */
export interface Surroundings {
  readonly sources: readonly SourceRule[];
  /** Registries, parts of them and wildcards that are reached without a verified certificate. */
  readonly insecure: readonly ImageLocation[];
}

/**
 * Does a line of a mirror set name a mirror? Without one other than the source, the machine-config operator ignores the
 * line and its policy (runtime-utils, addMirrorSet).
 */
export const hasMirror = ({ source, mirrors }: MirrorRule): boolean => mirrors.some((mirror) => mirror !== source);

/** Does this line forbid its source? */
export const isForbidding = ({ policy }: Pick<MirrorRule, "policy">): boolean => policy === "NeverContactSource";

/** A location whose host may be a wildcard; undefined for a text that is neither. */
export function scopeOf(text: string): ImageLocation | undefined {
  const location = locationOf(text);
  if (typeof location !== "string") return location;
  const host = wildcardOf(text);
  return host === undefined ? undefined : { host, path: "" };
}

/** Collects what the lines say of each source. */
export const sourceRulesOf = (rules: readonly MirrorRule[]): readonly SourceRule[] =>
  rules.filter(hasMirror).flatMap((rule) => {
    const scope = scopeOf(rule.source);
    return scope ? [{ scope, forbids: isForbidding(rule) }] : [];
  });

/** The more of a name a scope gives, the closer it is; a wildcard comes last (containers-registries.conf). */
const closeness = ({ host, path }: ImageLocation): number => (host.startsWith("*.") ? host.length - 1000 : path.length);

/**
 * May a location not be contacted, whether as a source or as a mirror? The closest source decides; where several lines
 * name it, one that forbids is enough.
 */
export function isForbidden(location: ImageLocation, sources: readonly SourceRule[]): boolean {
  const around = sources.filter(({ scope }) => isInside(location, scope));
  const closest = Math.max(...around.map(({ scope }) => closeness(scope)));
  return around.some(({ scope, forbids }) => forbids && closeness(scope) === closest);
}

/** Does any forbidden source lie below a location? */
export const holdsForbidden = (location: ImageLocation, sources: readonly SourceRule[]): boolean =>
  sources.some(({ scope, forbids }) => forbids && isInside(scope, location));
