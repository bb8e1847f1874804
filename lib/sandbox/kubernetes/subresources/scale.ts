import { json, type WireResponse } from "../../core/wire.ts";
import { notAllowed } from "../model/failure.ts";
import { at, fieldsOf, type KubeObject } from "../model/object.ts";
import { patcherOf } from "../patches/patch.ts";
import { mediaTypeOf, objectIn, patchIn } from "../request/content.ts";
import { storedObject } from "../verbs/read.ts";
import { type ApiCall, isDryRun, type Server } from "../verbs/server.ts";

/** Shows a workload as a Scale. */
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

const readers: Readonly<Record<string, (call: ApiCall, current: KubeObject) => unknown>> = {
  update: ({ request }) => objectIn(request, "Scale"),
  patch: ({ request, type }, current) => patcherOf(type, mediaTypeOf(request))(scaleOf(current), patchIn(request)),
};

/** GET, PUT or PATCH of scale: reads or sets spec.replicas. */
export function scale(server: Server, call: ApiCall, verb: string): WireResponse {
  if (verb === "get") return json(scaleOf(storedObject(server, call)));
  const wanted = readers[verb];
  if (!wanted) throw notAllowed();
  const change = (current: KubeObject): KubeObject => {
    const { metadata, spec } = fieldsOf(wanted(call, current)) as unknown as KubeObject;
    const resourceVersion = metadata?.resourceVersion ?? current.metadata.resourceVersion;
    const after = { ...fieldsOf(current.spec), replicas: Number(at(spec, "replicas") ?? 0) };
    return { ...current, metadata: { ...current.metadata, resourceVersion }, spec: after };
  };
  return json(scaleOf(server.registry.update({ ...call, subresource: "" }, change, { dryRun: isDryRun(call) })));
}
