import { z } from "zod";
import { Refused } from "../../errors.ts";
import { type ShapeFault, shapeFaultOf } from "../shape-fault.ts";
import { documentsIn, lineOf } from "../yaml-lines.ts";
import { type MirrorRule, mirrorRulesIn, mirrorSetKind } from "./mirror-sets.ts";

/** One object of the file with its place: the number of its document, and the path in it. */
interface FileObject {
  readonly value: unknown;
  readonly place: readonly PropertyKey[];
}

const isList = (value: unknown): boolean => z.looseObject({ kind: z.literal("List") }).safeParse(value).success;

const list = z.strictObject({
  apiVersion: z.literal("v1"),
  kind: z.literal("List"),
  metadata: z.unknown().optional(),
  items: z.array(z.unknown()),
});
const header = z.looseObject({ apiVersion: z.string(), kind: z.string() });

const objectsIn = (value: unknown, document: number): readonly FileObject[] => {
  const items = list.safeParse(value).data?.items;
  if (!items) return [{ value, place: [document] }];
  return items.map((item, index) => ({ value: item, place: [document, "items", index] }));
};

const readObject = (value: unknown): readonly MirrorRule[] | ShapeFault => {
  const { error } = list.safeParse(value);
  if (error && isList(value)) return shapeFaultOf(error);
  const { success, data } = header.safeParse(value);
  if (!success) return { path: [], message: "an object with apiVersion and kind is expected" };
  const kind = mirrorSetKind(data.apiVersion, data.kind);
  if (kind) return mirrorRulesIn(kind, value);
  return { path: ["kind"], message: `${data.apiVersion} ${data.kind} is not a mirror set` };
};

const nameIn = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });

/** Name of the object, as far as it can be read: "ImageTagMirrorSet/web". */
const nameOf = (value: unknown): string | undefined => {
  const { data } = nameIn.safeParse(value);
  return data && `${data.kind}/${data.metadata.name}`;
};

/**
 * Reads mirror sets from a text, as oc-mirror and `oc get -o yaml` write them: several documents, or a List. What a
 * person may have misspelt is a fault: an unknown kind or field, a key or an object that stands there twice.
 * @param from source of the text, for the error message
 * @throws Refused that names the line, the object and the field; no part of the text may be used
 */
export function mirrorsFile(text: string, from = "mirrors.yaml"): readonly MirrorRule[] {
  const { events, documents } = documentsIn(text, from);
  const seen = new Set<string>();
  // A document without content stands behind a separator that ends the text; kubectl ignores it too.
  const objects = documents.flatMap((value, index) => (value === null ? [] : objectsIn(value, index)));
  return objects.flatMap(({ value, place }) => {
    const name = nameOf(value);
    const refused = ({ path, message }: ShapeFault): Refused => {
      const where = [name, path.join(".")].filter(Boolean).map((part) => `${part}: `);
      return new Refused(`${from}: line ${lineOf(text, events, [...place, ...path])}: ${where.join("")}${message}`);
    };
    if (name !== undefined && seen.has(name)) throw refused({ path: [], message: "this object stands here twice" });
    if (name !== undefined) seen.add(name);
    const rules = readObject(value);
    if ("path" in rules) throw refused(rules);
    return rules;
  });
}
