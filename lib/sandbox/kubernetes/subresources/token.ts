import { json, type WireResponse } from "../../core/wire.ts";
import { AUDIENCE } from "../access/tokens.ts";
import { serviceAccountUser } from "../access/users.ts";
import { type Cause, invalid, wrong } from "../model/failure.ts";
import { type Fields, fieldsOf, type KubeObject, listOf, timestamp } from "../model/object.ts";
import { objectIn } from "../request/content.ts";
import { named } from "../verbs/read.ts";
import { type Asked, admission, type Server } from "../verbs/server.ts";

/** Bounds and default of expirationSeconds (k8s pkg/apis/authentication/validation, v1 defaults). */
const SHORTEST = 600;
const LONGEST = 2 ** 32;
const USUAL = 3_600;

function causesOf(seconds: number): Cause[] {
  if (seconds < SHORTEST)
    return [wrong("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")];
  return seconds > LONGEST
    ? [wrong("spec.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds")]
    : [];
}

/** POST serviceaccounts/<name>/token (TokenRequest): a token that expires. Answers 201; 404, 422. */
export function requestToken(server: Server, asked: Asked): WireResponse {
  const body = objectIn(asked.request);
  const account = named(server, asked);
  const spec = fieldsOf(body.spec);
  const seconds = Number(spec.expirationSeconds ?? USUAL);
  const causes = causesOf(seconds);
  if (causes.length > 0) throw invalid({ kind: "TokenRequest", group: "authentication.k8s.io" }, asked.name, causes);
  const wanted: Fields = { ...body, spec: { ...spec, expirationSeconds: seconds } };
  admission(server, asked)(undefined, wanted as KubeObject);
  const user = serviceAccountUser(account.metadata.namespace ?? "", asked.name);
  const now = server.foundation.clock.now();
  const wished = listOf<string>(spec.audiences);
  const audiences = wished.length > 0 ? wished : [AUDIENCE];
  const answer = {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name: asked.name, namespace: asked.namespace, creationTimestamp: timestamp(now) },
    spec: {
      audiences,
      expirationSeconds: seconds,
      boundObjectRef: null,
    },
    status: {
      token: server.judges.tokens.issue({ name: user.name }, seconds, audiences),
      expirationTimestamp: timestamp(now + seconds * 1000),
    },
  };
  return json(answer, 201);
}
