/** Fields of an answer by their path, each with the types of its values: "Instances[].State.Name" → "string". */
export type Shape = Readonly<Record<string, string>>;

/** Fields whose keys people or programs choose: all of their keys are compared as one key, "*". */
const MAPS = new Set([
  "labels",
  "annotations",
  "nodeSelector",
  "matchLabels",
  "capacity",
  "allocatable",
  "requests",
  "limits",
  "extra",
]);

/** Bookkeeping of the API server and of the SDK: no function reads it. */
const LEFT_OUT = new Set(["managedFields", "$metadata", "NextToken"]);

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (value instanceof Date) return "date";
  return typeof value;
};

type Leaf = readonly [path: string, type: string];

const isFields = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !(value instanceof Date);

function inFields(value: object, path: string, isMap: boolean): Leaf[] {
  const fields = Object.entries(value).filter(([name, inside]) => inside !== undefined && !LEFT_OUT.has(name));
  if (fields.length === 0) return [[path, "object"]];
  return fields.flatMap(([name, inside]) => {
    const below = isMap ? "*" : name;
    return leaves(inside, path === "" ? below : `${path}.${below}`, MAPS.has(name));
  });
}

function leaves(value: unknown, path: string, isMap: boolean): Leaf[] {
  if (Array.isArray(value))
    return value.length === 0 ? [[path, "list"]] : value.flatMap((one) => leaves(one, `${path}[]`, false));
  return isFields(value) ? inFields(value, path, isMap) : [[path, typeOf(value)]];
}

/** Takes the shape of an answer: names of fields and types of values, and no value. */
export function shapeOf(answer: unknown): Shape {
  const types = new Map<string, Set<string>>();
  for (const [path, type] of leaves(answer, "", false)) types.set(path, (types.get(path) ?? new Set()).add(type));
  const sorted = [...types].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([path, kinds]) => [path, [...kinds].toSorted().join(" or ")]));
}

/** Differences between an answer of the deployment and the sandbox's. */
export interface ShapeDifference {
  /** Name of the answer: "ec2 DescribeInstances". */
  readonly answer: string;
  readonly onlyHere: readonly string[];
  readonly onlyInSandbox: readonly string[];
  /** "path: here string, in the sandbox number". */
  readonly otherType: readonly string[];
}

/** Compares the shape of one answer with the sandbox's. */
export function compareShapes(answer: string, here: Shape, sandbox: Shape): ShapeDifference {
  const missing = (one: Shape, other: Shape) => Object.keys(one).filter((path) => !(path in other));
  return {
    answer,
    onlyHere: missing(here, sandbox),
    onlyInSandbox: missing(sandbox, here),
    otherType: Object.entries(here).flatMap(([path, type]) =>
      path in sandbox && sandbox[path] !== type ? [`${path}: here ${type}, in the sandbox ${sandbox[path]}`] : [],
    ),
  };
}
