import { type ResourceType, resourceTypes } from "../model/resources.ts";

/** Parameters of a write. Because fieldValidation is among them, kubectl leaves validation to the server. */
const options = ["dryRun", "fieldManager", "fieldValidation"].map((name) => ({ name, in: "query" }));
const text = { type: "string", uniqueItems: true };

/** The parameters in the form of each version of OpenAPI. */
const parameters = {
  v2: options.map((option) => ({ ...option, ...text })),
  v3: options.map((option) => ({ ...option, schema: text })),
};

const prefixOf = (type: ResourceType): string => (type.group ? `apis/${type.apiVersion}` : `api/${type.version}`);

function pathItem(type: ResourceType, version: keyof typeof parameters): [string, unknown] {
  const scope = type.namespaced ? "/namespaces/{namespace}" : "";
  const operation = (action: string): Record<string, unknown> => ({
    parameters: parameters[version],
    responses: { "200": { description: "OK" } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group: type.group, version: type.version, kind: type.kind },
  });
  return [`/${prefixOf(type)}${scope}/${type.plural}/{name}`, { patch: operation("patch"), put: operation("put") }];
}

const document = (types: readonly ResourceType[], version: keyof typeof parameters): Record<string, unknown> => ({
  ...(version === "v2" ? { swagger: "2.0", definitions: {} } : { openapi: "3.0.0", components: { schemas: {} } }),
  info: { title: "Kubernetes", version: "v1.34.2" },
  paths: Object.fromEntries(types.filter((type) => !type.virtual).map((type) => pathItem(type, version))),
});

/** The path of OpenAPI v2. It is written as JSON alone: client-go's, which read protobuf, use v3 or the types built into them. */
export const OPENAPI_V2 = "/openapi/v2";

const prefixes = [...new Set(resourceTypes.map(prefixOf))];

const index = { paths: Object.fromEntries(prefixes.map((one) => [one, { serverRelativeURL: `/openapi/v3/${one}` }])) };

/**
 * OpenAPI by path: the parameters of each operation. Schemas are not served, so `kubectl explain` finds none, and kubectl
 * merges by the types that are built into it.
 */
export const openapi: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  [OPENAPI_V2, document(resourceTypes, "v2")],
  ["/openapi/v3", index],
  ...prefixes.map((one): [string, unknown] => [
    `/openapi/v3/${one}`,
    document(
      resourceTypes.filter((type) => prefixOf(type) === one),
      "v3",
    ),
  ]),
]);
