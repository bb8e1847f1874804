/** The user from whom a request comes. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Further facts from the authenticator: which credential it was, by its id. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The key under which a request's user names the credential that it came with (k8s.io/apiserver, user.CredentialIDKey). */
export const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

/** The user as TokenReview, SelfSubjectReview, admission and signing requests write it. */
export const userInfoOf = ({ name, uid, groups, extra }: User) => ({
  username: name,
  ...(uid ? { uid } : {}),
  groups,
  ...(extra ? { extra } : {}),
});

/** A request as the authorisers judge it: the verb, and the resource or path that it concerns. */
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
