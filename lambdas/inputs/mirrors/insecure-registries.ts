import { folderOf, type ImageLocation, isRegistry, locationOf, registryMeant } from "./location.ts";
import type { MirrorFault, MirrorFaultReason } from "./mirror-lines.ts";
import { imageConfigName } from "./mirror-sets.ts";
import { scopeOf } from "./surroundings.ts";

/** The cluster's insecure registries. */
export interface InsecureRegistries {
  /** Registries, parts of them and wildcards: a mirror in one of them is insecure. */
  readonly scopes: readonly ImageLocation[];
  /** Registries that are insecure as a whole. */
  readonly registries: readonly string[];
  readonly faults: readonly MirrorFault[];
}

/** The reason why this registry itself cannot be insecure for containerd; undefined if it can. */
function reasonOf(text: string): MirrorFaultReason | undefined {
  const location = locationOf(text);
  if (typeof location === "string") return location;
  // A file without verification for the whole registry would trust more than the cluster does.
  if (location.path !== "") return "insecure-part";
  if (!isRegistry(location.host)) return "no-registry";
  return folderOf(location.host) === undefined ? "folder" : undefined;
}

/** Reads the list of insecure registries. */
export function insecureRegistries(texts: readonly string[]): InsecureRegistries {
  const known = texts.map((text) => ({ text, scope: scopeOf(text), reason: reasonOf(text) }));
  return {
    scopes: known.flatMap(({ scope }) => scope ?? []),
    registries: known.flatMap(({ scope, reason }) => (scope && !reason ? [scope.host] : [])),
    faults: known.flatMap(({ text, reason }) =>
      reason ? [{ registry: registryMeant(text), object: imageConfigName, source: text, mirror: null, reason }] : [],
    ),
  };
}
