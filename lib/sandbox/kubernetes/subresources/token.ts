import { json, type WireResponse } from "../../core/wire.ts";
import { AUDIENCE } from "../access/tokens.ts";
import { serviceAccountUser } from "../access/users.ts";
import { ApiFailure, badRequest, type Cause, invalid, notFound, wrong } from "../model/failure.ts";
import { type Fields, fieldsOf, type KubeObject, listOf, timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { objectIn } from "../request/content.ts";
import { storedObject } from "../verbs/read.ts";
import { type ApiCall, admission, type Server } from "../verbs/server.ts";

// Decisions and messages follow k8s pkg/registry/core/serviceaccount/storage/token.go, in its order.

/** Bounds and default of expirationSeconds (k8s pkg/apis/authentication/validation, v1 defaults). */
const SHORTEST = 600;
const LONGEST = 2 ** 32;
const USUAL = 3_600;

const secrets = known("secrets");

function causesOf(seconds: number): Cause[] {
  if (seconds < SHORTEST)
    return [wrong("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")];
  return seconds > LONGEST
    ? [wrong("spec.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds")]
    : [];
}

/** Writes `apiVersion, Kind=kind` as Go prints a GroupVersionKind. */
const kindIn = ({ apiVersion, kind }: Fields): string => {
  const version = String(apiVersion ?? "");
  return `${version.includes("/") ? version : `/${version}`}, Kind=${String(kind ?? "")}`;
};

/**
 * Finds the Secret that a token is bound to; undefined for an unbound token.
 * @throws 400 for another kind (this server binds tokens to Secrets alone), 404, 409 for another uid
 */
function boundSecret({ objects }: Server, { namespace }: ApiCall, ref: unknown): KubeObject | undefined {
  if (ref === null) return undefined;
  const { name = "", uid = "", ...type } = fieldsOf(ref);
  if (type.apiVersion !== "v1" || type.kind !== "Secret")
    throw badRequest(`cannot bind token to object of type ${kindIn(type)}`);
  const secret = objects.get(secrets, namespace, String(name));
  if (!secret) throw notFound(secrets, String(name));
  if (uid === "" || uid === secret.metadata.uid) return secret;
  const why = `the UID in the bound object reference (${String(uid)}) does not match the UID in record. The object might have been deleted and then recreated`;
  const details = { name: String(name), kind: "Secret" };
  throw new ApiFailure(409, "Conflict", `Operation cannot be fulfilled on Secret "${String(name)}": ${why}`, details);
}

/** Adds the API's defaults to the request; a pointer without omitempty is written as null (BoundObjectRef). */
function completed(body: Fields): { readonly audiences: string[]; readonly seconds: number; readonly ref: unknown } {
  const spec = fieldsOf(body.spec);
  const audiences = listOf<string>(spec.audiences);
  return {
    audiences: audiences.length > 0 ? audiences : [AUDIENCE],
    seconds: Number(spec.expirationSeconds ?? USUAL),
    ref: spec.boundObjectRef ?? null,
  };
}

/** POST serviceaccounts/<name>/token (TokenRequest): a token that expires. Answers 201; 400, 404, 409, 422. */
export function requestToken(server: Server, call: ApiCall): WireResponse {
  const body = objectIn(call.request, "TokenRequest");
  const account = storedObject(server, call);
  const { audiences, seconds, ref } = completed(body);
  const causes = causesOf(seconds);
  if (causes.length > 0) throw invalid({ kind: "TokenRequest", group: "authentication.k8s.io" }, "", causes);
  const spec = { audiences, expirationSeconds: seconds, boundObjectRef: ref };
  admission(server, call)(undefined, { ...body, spec } as unknown as KubeObject);
  const secret = boundSecret(server, call, ref);
  const user = serviceAccountUser(account.metadata.namespace ?? "", call.name);
  const now = server.simulation.clock.now();
  const answer = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name: call.name, namespace: call.namespace, creationTimestamp: timestamp(now) },
    spec,
    status: {
      token: server.authorizers.tokens.issue({ name: user.name }, seconds, { audiences, secret }),
      expirationTimestamp: timestamp(now + seconds * 1000),
    },
  };
  return json(answer, 201);
}
