import { type ResourceType, resourceTypes } from "../model/resources.ts";

/** A field's type in the spelling of the client library: "string", "Array<V1Taint>", "{ [key: string]: string; }", … */
export type TypeName = string;

/** Fields of one type of the API. */
export type Schema = ReadonlyMap<string, TypeName>;

/** The API's types by name. */
export interface Schemas {
  /** Finds the type of a resource's objects; undefined for custom resources. */
  nameOf(type: ResourceType): TypeName | undefined;
  get(name: TypeName): Schema | undefined;
}

interface Model {
  readonly attributeTypeMap?: readonly { readonly baseName: string; readonly type: TypeName }[];
}

/** Names in the library that are not V1 and the kind. */
const irregular: Readonly<Record<string, TypeName>> = { Event: "CoreV1Event" };

const modelName = ({ kind }: ResourceType): TypeName => irregular[kind] ?? `V1${kind}`;

const isModelled = ({ custom, virtual, keptOnly }: ResourceType): boolean => !custom && !virtual && !keptOnly;

const named = /\b(?:CoreV1|RbacV1|V1)[A-Z]\w+/;

const isModel = (name: TypeName): boolean => named.test(name) && name !== "V1MicroTime";

/** Finds the name of the model inside a list or map type. */
export const innerModel = (type: TypeName): TypeName | undefined => {
  const name = named.exec(type)?.[0];
  return name && isModel(name) ? name : undefined;
};

/** Types of request bodies that are not stored objects. */
const besides: readonly TypeName[] = ["V1Eviction"];

async function modelOf(name: TypeName): Promise<Schema> {
  const module = (await import(`@kubernetes/client-node/dist/gen/models/${name}.js`)) as Record<string, Model>;
  return new Map((module[name]?.attributeTypeMap ?? []).map(({ baseName, type }) => [baseName, type]));
}

/** Lists the types of a type's fields. */
const partsOf = (schema: Schema): TypeName[] => [...schema.values()].flatMap((type) => innerModel(type) ?? []);

async function load(): Promise<Schemas> {
  const known = new Map<TypeName, Schema>();
  const read = async (names: readonly TypeName[]): Promise<void> => {
    const fresh = [...new Set(names)].filter((name) => !known.has(name));
    if (fresh.length === 0) return;
    const schemas = await Promise.all(fresh.map(modelOf));
    for (const [index, schema] of schemas.entries()) known.set(fresh[index] ?? "", schema);
    await read(schemas.flatMap(partsOf));
  };
  await read([...resourceTypes.filter(isModelled).map(modelName), ...besides]);
  return { nameOf: (type) => (isModelled(type) ? modelName(type) : undefined), get: (name) => known.get(name) };
}

let loaded: Promise<Schemas> | undefined;

/**
 * Loads the types of every stored resource, once in a process, from the models that the client library generates from the
 * API's OpenAPI document. All are loaded before the first request (some 70 ms), so that no request waits for a file.
 */
export function apiSchemas(): Promise<Schemas> {
  loaded ??= load();
  return loaded;
}
