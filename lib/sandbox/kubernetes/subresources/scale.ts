import { json, type WireResponse } from "../../core/wire.ts";
import { notAllowed } from "../model/failure.ts";
import { at, fieldsOf, type KubeObject } from "../model/object.ts";
import { patcherOf } from "../patches/patch.ts";
import { mediaTypeOf, objectIn, patchIn } from "../request/content.ts";
import { named } from "../verbs/read.ts";
import { type Asked, isDryRun, type Server } from "../verbs/server.ts";

/** A workload seen as a Scale. */
function scaleOf({ metadata, spec, status }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;
  const selector = Object.entries(fieldsOf(at(spec, "selector", "matchLabels"))).map(
    ([key, value]) => `${key}=${String(value)}`,
  );
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion, creationTimestamp },
    spec: { replicas: at(spec, "replicas") ?? 0 },
    status: { replicas: at(status, "replicas") ?? 0, selector: selector.join(",") },
  };
}

const readers: Readonly<Record<string, (asked: Asked, current: KubeObject) => unknown>> = {
  update: ({ request }) => objectIn(request),
  patch: ({ request, type }, current) => patcherOf(type, mediaTypeOf(request))(scaleOf(current), patchIn(request)),
};

/** GET, PUT or PATCH of scale: reads or sets spec.replicas. */
export function scale(server: Server, asked: Asked, verb: string): WireResponse {
  if (verb === "get") return json(scaleOf(named(server, asked)));
  const wanted = readers[verb];
  if (!wanted) throw notAllowed();
  const change = (current: KubeObject): KubeObject => {
    const { metadata, spec } = fieldsOf(wanted(asked, current)) as unknown as KubeObject;
    const resourceVersion = metadata?.resourceVersion ?? current.metadata.resourceVersion;
    const after = { ...fieldsOf(current.spec), replicas: Number(at(spec, "replicas") ?? 0) };
    return { ...current, metadata: { ...current.metadata, resourceVersion }, spec: after };
  };
  return json(scaleOf(server.registry.update({ ...asked, subresource: "" }, change, { dryRun: isDryRun(asked) })));
}
