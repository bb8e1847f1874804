import { json, type WireResponse } from "../../core/wire.ts";
import { shown, shownList, type View } from "../kubectl/render.ts";
import { notFound } from "../model/failure.ts";
import type { KubeObject } from "../model/object.ts";
import { formFor } from "../request/content.ts";
import { selectionOf } from "../request/lists.ts";
import { watch } from "../request/watch.ts";
import type { Asked, Server } from "./server.ts";

/** The form in which this request wants objects to be written. Throws 406. */
export const viewOf = ({ foundation }: Server, { request, type, query }: Asked): View => ({
  form: formFor(request.headers.accept),
  type,
  now: foundation.clock.now(),
  include: query.get("includeObject") ?? "Metadata",
});

/** The stored object that the request names; throws 404. */
export function named<T extends KubeObject>({ objects }: Server, { type, namespace, name }: Asked): T {
  const object = objects.get<T>(type, namespace, name);
  if (!object) throw notFound(type, name);
  return object;
}

/** GET of one object. */
export const get = (server: Server, asked: Asked): WireResponse =>
  json(shown(viewOf(server, asked), named(server, asked)));

/** GET of many. */
export function list(server: Server, asked: Asked): WireResponse {
  const selection = selectionOf(asked.type, asked.namespace, asked.query);
  return json(shownList(viewOf(server, asked), server.list(selection, asked.query)));
}

/** GET with watch: one JSON line per event, until its time is up or the reader leaves. */
export function watching(server: Server, asked: Asked): WireResponse {
  const selection = selectionOf(asked.type, asked.namespace, asked.query);
  const events = watch(server.foundation, server.objects, selection, asked.query);
  const lines: AsyncIterableIterator<string> = {
    next: async () => {
      const result = await events.next();
      if (result.done) return { done: true, value: undefined };
      const { type, object } = result.value;
      const value = type === "ERROR" ? object : shown(viewOf(server, asked), object as KubeObject);
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
