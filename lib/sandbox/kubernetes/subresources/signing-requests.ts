import { userInfoOf } from "../access/users.ts";
import { fieldsOf, type KubeObject } from "../model/object.ts";
import type { ApiCall } from "../verbs/server.ts";

/**
 * Writes the requester and its credential into a CertificateSigningRequest; the client's values are dropped
 * (csrStrategy.PrepareForCreate).
 */
export function asRequested({ type, user }: Pick<ApiCall, "type" | "user">, object: KubeObject): KubeObject {
  if (type.plural !== "certificatesigningrequests") return object;
  const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...call } = fieldsOf(object.spec);
  return { ...object, spec: { ...call, ...userInfoOf(user) } };
}
