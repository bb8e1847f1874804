import { type ResourceType, resourceTypes } from "../model/resources.ts";

const query = (name: string, type: string): Record<string, unknown> => ({
  name,
  in: "query",
  schema: { type, uniqueItems: true },
});

/** Parameters of a write. Because fieldValidation is among them, kubectl leaves validation to the server. */
const parameters = [query("dryRun", "string"), query("fieldManager", "string"), query("fieldValidation", "string")];

const prefixOf = (type: ResourceType): string => (type.group ? `apis/${type.apiVersion}` : `api/${type.version}`);

function pathItem(type: ResourceType): [string, unknown] {
  const scope = type.namespaced ? "/namespaces/{namespace}" : "";
  const operation = (action: string): Record<string, unknown> => ({
    parameters,
    responses: { "200": { description: "OK" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group: type.group, version: type.version, kind: type.kind },
  });
  return [`/${prefixOf(type)}${scope}/${type.plural}/{name}`, { patch: operation("patch"), put: operation("put") }];
}

const document = (types: readonly ResourceType[]): Record<string, unknown> => ({
  openapi: "3.0.0",
  info: { title: "Kubernetes", version: "v1.34.2" },
  paths: Object.fromEntries(types.filter((type) => !type.virtual).map(pathItem)),
  components: { schemas: {} },
});

const prefixes = [...new Set(resourceTypes.map(prefixOf))];

const index = { paths: Object.fromEntries(prefixes.map((one) => [one, { serverRelativeURL: `/openapi/v3/${one}` }])) };

/**
 * OpenAPI v3 by path: the parameters of each operation. Schemas are not served, so `kubectl explain` finds none; there
 * is no /openapi/v2, and kubectl then merges by the types that are built into it.
 */
export const openapi: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["/openapi/v3", index],
  ...prefixes.map((one): [string, unknown] => [
    `/openapi/v3/${one}`,
    document(resourceTypes.filter((type) => prefixOf(type) === one)),
  ]),
]);
