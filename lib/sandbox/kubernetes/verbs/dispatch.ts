import { json, type WireResponse } from "../../core/wire.ts";
import { reviews } from "../access/reviews.ts";
import { noSuchResource, notAllowed } from "../model/failure.ts";
import { fieldsOf, timestamp } from "../model/object.ts";
import { objectIn } from "../request/content.ts";
import { bindPod } from "../subresources/binding.ts";
import { evict } from "../subresources/eviction.ts";
import { kubeletSubresources, proxyToKubelet } from "../subresources/kubelet.ts";
import { scale } from "../subresources/scale.ts";
import { requestToken } from "../subresources/token.ts";
import { get, list, openWatch } from "./read.ts";
import type { ApiCall, Server } from "./server.ts";
import { create, patch, remove, removeMany, update } from "./write.ts";

type Handler = (server: Server, call: ApiCall) => WireResponse;

const onObjects: Readonly<Record<string, Handler>> = {
  get,
  list,
  watch: openWatch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeMany,
};

/** Handlers of subresources that are a view of the object. */
const views: Readonly<Record<string, Handler>> = { get, update, patch };

const actions: Readonly<Record<string, Handler>> = { eviction: evict, binding: bindPod, token: requestToken };

/** Answers the POST of a review: at once, and it is never stored. */
function review({ authorizers, simulation }: Server, { request, type, user }: ApiCall): WireResponse {
  const spec = fieldsOf(objectIn(request, type.kind).spec);
  const status = reviews[type.plural]?.(spec, user, authorizers);
  const named = { kind: type.kind, apiVersion: type.apiVersion };
  // It alone has no spec, and is dated (k8s pkg/registry/authentication/selfsubjectreview/rest.go).
  if (type.plural === "selfsubjectreviews")
    return json({ ...named, metadata: { creationTimestamp: timestamp(simulation.clock.now()) }, status }, 201);
  return json({ ...named, metadata: {}, spec, status }, 201);
}

function handlerOf({ type, subresource }: ApiCall, verb: string): Handler | undefined {
  if (type.virtual) return verb === "create" ? review : undefined;
  if (subresource === "") return onObjects[verb];
  if (kubeletSubresources.includes(subresource)) return proxyToKubelet;
  if (subresource === "scale") return (server, call) => scale(server, call, verb);
  const action = actions[subresource];
  if (action) return verb === "create" ? action : undefined;
  return views[verb];
}

/**
 * Answers a request for a resource.
 * @throws ApiFailure: 404 for an unknown subresource, 405 for a verb that it does not have, and the errors of the verbs
 */
export function dispatch(server: Server, call: ApiCall, verb: string): WireResponse {
  if (call.subresource && !call.type.subresources.includes(call.subresource)) throw noSuchResource();
  const handler = handlerOf(call, verb);
  if (!handler) throw notAllowed();
  return handler(server, call);
}
