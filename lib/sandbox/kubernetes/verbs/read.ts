import { json, type WireResponse } from "../../core/wire.ts";
import { rendered, renderedList, type View } from "../kubectl/render.ts";
import { notFound } from "../model/failure.ts";
import type { KubeObject } from "../model/object.ts";
import { formFor } from "../request/content.ts";
import { selectionOf } from "../request/lists.ts";
import { watch } from "../request/watch.ts";
import type { ApiCall, Server } from "./server.ts";

/** Finds the form in which this request wants its objects. Throws 406. */
export const viewOf = ({ simulation }: Server, { request, type, query }: ApiCall): View => ({
  form: formFor(request.headers.accept),
  type,
  now: simulation.clock.now(),
  include: query.get("includeObject") ?? "Metadata",
});

/** Finds the stored object that the request names; throws 404. */
export function storedObject<T extends KubeObject>({ objects }: Server, { type, namespace, name }: ApiCall): T {
  const object = objects.get<T>(type, namespace, name);
  if (!object) throw notFound(type, name);
  return object;
}

/** GET of one object. */
export const get = (server: Server, call: ApiCall): WireResponse =>
  json(rendered(viewOf(server, call), storedObject(server, call)));

/** GET of many. */
export function list(server: Server, call: ApiCall): WireResponse {
  const selection = selectionOf(call.type, call.namespace, call.query);
  return json(renderedList(viewOf(server, call), server.list(selection, call.query)));
}

/** GET with watch: one JSON line per event, until the timeout or until the client closes it. */
export function openWatch(server: Server, call: ApiCall): WireResponse {
  const selection = selectionOf(call.type, call.namespace, call.query);
  const events = watch(server.simulation, server.objects, selection, call.query);
  const lines: AsyncIterableIterator<string> = {
    next: async () => {
      const result = await events.next();
      if (result.done) return { done: true, value: undefined };
      const { type, object } = result.value;
      const value = type === "ERROR" ? object : rendered(viewOf(server, call), object as KubeObject);
      return { done: false, value: `${JSON.stringify({ type, object: value })}\n` };
    },
    return: async () => {
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => lines,
  };
  return { status: 200, headers: { "content-type": "application/json" }, body: lines };
}
