import { applyPatch, type Operation } from "rfc6902";
import { ApiFailure, badRequest, unsupportedMedia } from "../model/failure.ts";
import { copy, isFields, type KubeObject } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import { mergePatch } from "./merge.ts";
import { strategicMerge } from "./strategic.ts";

export const APPLY = "application/apply-patch+yaml";

type Patcher = (current: KubeObject, patch: unknown) => unknown;

/** 422 for a valid patch that cannot be applied; the API server's message says no more. */
const rejected = (): ApiFailure =>
  new ApiFailure(422, "Invalid", "the server rejected our request due to an error in our request");

function jsonPatch(current: KubeObject, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest("json: cannot unmarshal object into Go value of type jsonpatch.Patch");
  const result = copy(current);
  const failed = applyPatch(result, patch as Operation[]).some((error) => error !== null);
  if (failed) throw rejected();
  return result;
}

const needsObject =
  (patcher: Patcher): Patcher =>
  (current, patch) => {
    if (!isFields(patch))
      throw badRequest(
        "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
      );
    return patcher(current, patch);
  };

const patchers: Readonly<Record<string, Patcher>> = {
  "application/json-patch+json": jsonPatch,
  "application/merge-patch+json": needsObject(mergePatch),
  "application/strategic-merge-patch+json": needsObject((current, patch) =>
    strategicMerge(current.kind, current, patch),
  ),
};

/** 415 of go-restful, in the form of a Status (k8s.io/apiserver/pkg/server/handler.go serviceErrorHandler). */
const noSuchRoute = (): ApiFailure => new ApiFailure(415, "UnsupportedMediaType", "415: Unsupported Media Type");

/** Media types of patches that a type of resource accepts; custom resources have no merge keys. */
export const patchTypes = (type: ResourceType): string[] => {
  const all = [...Object.keys(patchers), APPLY];
  return type.custom ? all.filter((one) => !one.includes("strategic")) : all;
};

/**
 * Finds the function that applies a patch.
 * @param mediaType content type of the request, without parameters
 * @throws 415 for a media type that this type of resource does not accept
 */
export function patcherOf(type: ResourceType, mediaType: string): (current: KubeObject, patch: unknown) => KubeObject {
  const patcher = patchTypes(type).includes(mediaType) ? patchers[mediaType] : undefined;
  // Built-in kinds have a route for each media type, and its router answers.
  if (!patcher) throw type.custom ? unsupportedMedia(patchTypes(type)) : noSuchRoute();
  return (current, patch) => {
    const result = patcher(current, patch);
    if (!isFields(result) || !isFields(result.metadata)) throw rejected();
    return result as KubeObject;
  };
}
