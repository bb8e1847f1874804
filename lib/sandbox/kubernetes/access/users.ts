/** The user who sends a request. */
export interface User {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  /** Further facts from the authenticator: the id of the credential. */
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The key in a user's extra that holds the id of the request's credential (k8s.io/apiserver, user.CredentialIDKey). */
export const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

/** Shapes the user as TokenReview, SelfSubjectReview, admission and signing requests do. */
export const userInfoOf = ({ name, uid, groups, extra }: User) => ({
  username: name,
  ...(uid ? { uid } : {}),
  groups,
  ...(extra ? { extra } : {}),
});

/** A request as authorisers see it: the verb, and the resource or path. */
export interface Attributes {
  readonly verb: string;
  /** Set for a path that is not a resource; then the other fields are empty. */
  readonly path?: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** The node in a list's or watch's fieldSelector=spec.nodeName=…, if any. */
  readonly onNode?: string;
  /** The name in a list's or watch's fieldSelector=metadata.name=…, if any. */
  readonly onlyName?: string;
}

/** A decision, and why: what allows the request, or what an authoriser has against it. Most refusals give no reason. */
export interface Verdict {
  readonly isAllowed: boolean;
  readonly reason: string;
}

/** Decides whether a user may do something; never throws. */
export type Authorizer = (user: User, wanted: Attributes) => Verdict;

/** Asks authorisers in order until one allows the request; a refusal has the reasons of all (k8s.io/apiserver authorization/union). */
export const inTurn =
  (...authorizers: readonly Authorizer[]): Authorizer =>
  (user, wanted) => {
    const reasons: string[] = [];
    for (const authorize of authorizers) {
      const verdict = authorize(user, wanted);
      if (verdict.isAllowed) return verdict;
      if (verdict.reason) reasons.push(verdict.reason);
    }
    return { isAllowed: false, reason: reasons.join("\n") };
  };

const PREFIX = "system:serviceaccount:";

/** Reads namespace and name from a service account's user name. */
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
