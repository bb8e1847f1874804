import { type ResourceType, resourceTypes } from "../model/resources.ts";

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** Kinds of subresources that differ from their resource's kind. */
const subresourceKinds: Readonly<Record<string, { group?: string; version?: string; kind: string; verbs: string[] }>> =
  {
    eviction: { group: "policy", version: "v1", kind: "Eviction", verbs: ["create"] },
    binding: { kind: "Binding", verbs: ["create"] },
    token: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest", verbs: ["create"] },
    log: { kind: "Pod", verbs: ["get"] },
    exec: { kind: "PodExecOptions", verbs: ["create", "get"] },
    attach: { kind: "PodAttachOptions", verbs: ["create", "get"] },
    portforward: { kind: "PodPortForwardOptions", verbs: ["create", "get"] },
    scale: { group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"] },
  };

const line = (type: ResourceType): Record<string, unknown> => ({
  name: type.plural,
  singularName: type.singular,
  namespaced: type.namespaced,
  kind: type.kind,
  verbs: type.virtual ? ["create"] : verbs,
  ...(type.shortNames.length > 0 ? { shortNames: type.shortNames } : {}),
  ...(type.categories.length > 0 ? { categories: type.categories } : {}),
});

const subresourceLine = (type: ResourceType, subresource: string): Record<string, unknown> => ({
  name: `${type.plural}/${subresource}`,
  singularName: "",
  namespaced: type.namespaced,
  ...(subresourceKinds[subresource] ?? { kind: type.kind, verbs: ["get", "patch", "update"] }),
});

const resourceList = (groupVersion: string): Record<string, unknown> => ({
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion,
  resources: resourceTypes
    .filter((type) => type.apiVersion === groupVersion)
    .flatMap((type) => [line(type), ...type.subresources.map((one) => subresourceLine(type, one))]),
});

const groups = [...new Set(resourceTypes.map(({ group }) => group))].filter(Boolean);

function groupEntry(group: string): Record<string, unknown> {
  const types = resourceTypes.filter((type) => type.group === group);
  const versions = [...new Set(types.map(({ version }) => version))].map((version) => ({
    groupVersion: `${group}/${version}`,
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] };
}

/** Every discovery document by its path. */
export const discovery: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["/api", { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] }],
  ["/apis", { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupEntry) }],
  ...groups.map((group): [string, unknown] => [
    `/apis/${group}`,
    { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) },
  ]),
  ...[...new Set(resourceTypes.map(({ apiVersion }) => apiVersion))].map((apiVersion): [string, unknown] => [
    apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`,
    resourceList(apiVersion),
  ]),
]);
