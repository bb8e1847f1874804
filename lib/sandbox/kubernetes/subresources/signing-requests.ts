import { fieldsOf, type KubeObject } from "../model/object.ts";
import type { Asked } from "../verbs/server.ts";

/** A CertificateSigningRequest says who asked; the server writes that, not the asker (csrStrategy.PrepareForCreate). */
export function asRequested({ type, user }: Pick<Asked, "type" | "user">, object: KubeObject): KubeObject {
  if (type.plural !== "certificatesigningrequests") return object;
  const asker = { username: user.name, groups: user.groups, ...(user.uid ? { uid: user.uid } : {}) };
  return { ...object, spec: { ...fieldsOf(object.spec), ...asker } };
}
