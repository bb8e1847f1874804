/** Who a request comes from. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
}

/** What somebody wants to do, as the authorisers judge it. */
export interface Attributes {
  readonly verb: string;
  /** Set for paths that are no resource; then the other fields are empty. */
  readonly path?: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** The node that a list or watch is limited to by fieldSelector=spec.nodeName=…, if it is. */
  readonly onNode?: string;
  /** The name that a list or watch is limited to by fieldSelector=metadata.name=…, if it is. */
  readonly onlyName?: string;
}

/** Says whether a user may do something; authorisers never throw. */
export type Authorizer = (user: User, wanted: Attributes) => boolean;

const PREFIX = "system:serviceaccount:";

/** Namespace and name behind a service account's user name. */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(PREFIX)) return undefined;
  const [namespace, name] = user.slice(PREFIX.length).split(":");
  return namespace && name ? { namespace, name } : undefined;
}

/** The user that a service account acts as. */
export const serviceAccountUser = (namespace: string, name: string): User => ({
  name: `${PREFIX}${namespace}:${name}`,
  groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
});
