import { json, type WireResponse } from "../../core/wire.ts";
import { conflict, invalid, required, success } from "../model/failure.ts";
import { at, timestamp } from "../model/object.ts";
import type { Pod } from "../model/shapes.ts";
import { objectIn } from "../request/content.ts";
import type { Objects } from "../store/objects.ts";
import { storedObject } from "../verbs/read.ts";
import type { ApiCall, Server } from "../verbs/server.ts";

/** Binds a pod to a node. */
export function bound(pod: Pod, nodeName: string, now: number): Pod {
  const scheduled = { type: "PodScheduled", status: "True" as const, lastTransitionTime: timestamp(now) };
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== "PodScheduled");
  return { ...pod, spec: { ...pod.spec, nodeName }, status: { ...pod.status, conditions: [...others, scheduled] } };
}

/** Stores a binding; the scheduler uses this too. */
export const bind = (objects: Objects, type: ApiCall["type"], pod: Pod, node: string, now: number): Pod =>
  objects.replace(type, bound(pod, node, now));

/** POST pods/<name>/binding. Answers 201; 409 for a pod that is bound or terminating, 422 without a target. */
export function bindPod(server: Server, call: ApiCall): WireResponse {
  const target = at(objectIn(call.request, "Binding"), "target", "name");
  if (!target) throw invalid({ kind: "Binding", group: "" }, call.name, [required("target.name")]);
  const pod = storedObject<Pod>(server, call);
  if (pod.spec.nodeName)
    throw conflict(call.type, call.name, `pod ${call.name} is already assigned to node "${pod.spec.nodeName}"`);
  if (pod.metadata.deletionTimestamp)
    throw conflict(call.type, call.name, `pod ${call.name} is being deleted, cannot be assigned to a host`);
  bind(server.objects, call.type, pod, String(target), server.simulation.clock.now());
  return json(success(201), 201);
}
