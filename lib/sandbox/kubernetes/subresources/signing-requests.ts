import { userInfoOf } from "../access/users.ts";
import { fieldsOf, type KubeObject, type ManagedFields } from "../model/object.ts";
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

/**
 * The entry by which the API server records the program that decided a request. It records every writer of every object;
 * here no reader asks for the others (k8s.io/apimachinery/pkg/util/managedfields).
 * @param time the server's, as the API writes it
 */
export const decisionOf = (manager: string, time: string): ManagedFields => ({
  manager,
  operation: "Update",
  apiVersion: "certificates.k8s.io/v1",
  time,
  fieldsType: "FieldsV1",
  fieldsV1: { "f:status": { "f:conditions": {} } },
  subresource: "approval",
});
