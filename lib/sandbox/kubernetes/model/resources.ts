import { groupOf } from "./object.ts";
import { keptLines, type Line, lines } from "./resource-lines.ts";

/** One type of resource: its discovery data, and how its requests are handled. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly subresources: readonly string[];
  readonly categories: readonly string[];
  /** Custom resources have no strategic merge patch. */
  readonly custom: boolean;
  /** Reviews are answered, never stored. */
  readonly virtual: boolean;
  /** Stored and served as given: other controllers watch it, but the simulator does not read it. */
  readonly keptOnly: boolean;
}

const typeOf = ([apiVersion, plural, kind, scope, more = {}]: Line): ResourceType => ({
  group: groupOf(apiVersion),
  version: apiVersion.split("/").at(-1) ?? apiVersion,
  apiVersion,
  plural,
  singular: kind.toLowerCase(),
  kind,
  namespaced: scope === "namespaced",
  shortNames: more.short ?? [],
  subresources: more.sub ?? [],
  categories: more.all ? ["all"] : [],
  custom: more.custom ?? false,
  virtual: more.virtual ?? false,
  keptOnly: more.kept ?? false,
});

/** Every type of resource that the API server serves. */
export const resourceTypes: readonly ResourceType[] = [...lines, ...keptLines].map(typeOf);

/** Finds the type of a group ("" for core) and plural name. */
export const resourceType = (group: string, plural: string): ResourceType | undefined =>
  resourceTypes.find((type) => type.group === group && type.plural === plural);

/** Finds the type of an apiVersion and kind. */
export const typeOfKind = (apiVersion: string, kind: string): ResourceType | undefined =>
  resourceTypes.find((type) => type.apiVersion === apiVersion && type.kind === kind);

/** Finds the type of a name that is written in this code. @throws Error for an unknown one */
export function known(plural: string, group = ""): ResourceType {
  const type = resourceType(group, plural);
  if (!type) throw new Error(`No resource type ${plural}.${group}`);
  return type;
}

/** Names a type as messages do: "pods" or "deployments.apps". */
export const qualified = (type: ResourceType): string => (type.group ? `${type.plural}.${type.group}` : type.plural);
