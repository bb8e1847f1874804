import type { KubeObject } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import type { Form } from "../request/content.ts";
import type { Page } from "../request/lists.ts";
import { type Column, columnsOf } from "./columns.ts";

/** The form of a response, and the objects that a table holds beside its cells. */
export interface View {
  readonly form: Form;
  readonly type: ResourceType;
  readonly now: number;
  /** "Metadata" (the API's default), "Object" or "None". */
  readonly include: string;
}

const definition = ({ name, wide }: Column): Record<string, unknown> => ({
  name,
  type: "string",
  format: name === "Name" ? "name" : "",
  description: name,
  priority: wide ? 1 : 0,
});

const bare = ({ metadata }: KubeObject): Record<string, unknown> => ({
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata,
});

/** An item in a list of a built-in type: the list alone says the type (k8s.io/api, encoding of XList). */
const untyped = ({ apiVersion: _version, kind: _kind, ...object }: KubeObject): object => object;

const besides = (object: KubeObject, include: string): Record<string, unknown> => {
  if (include === "None") return {};
  return { object: include === "Object" ? object : bare(object) };
};

function tableOf(view: View, objects: readonly KubeObject[], metadata: unknown): Record<string, unknown> {
  const columns = columnsOf(view.type.plural);
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata,
    columnDefinitions: columns.map(definition),
    rows: objects.map((object) => ({
      cells: columns.map((one) => one.cell(object, view.now)),
      ...besides(object, view.include),
    })),
  };
}

/** Renders one object in the requested form. */
export function rendered(view: View, object: KubeObject): unknown {
  if (view.form === "table") return tableOf(view, [object], { resourceVersion: object.metadata.resourceVersion });
  return view.form === "metadata" ? bare(object) : object;
}

/** Renders a list in the requested form. */
export function renderedList(view: View, { items, metadata }: Page): unknown {
  if (view.form === "table") return tableOf(view, items, metadata);
  const { apiVersion, kind } = view.type;
  if (view.form === "metadata") {
    return { kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1", metadata, items: items.map(bare) };
  }
  return { kind: `${kind}List`, apiVersion, metadata, items: view.type.custom ? items : items.map(untyped) };
}
