import type { WireRequest } from "../../core/wire.ts";
import { ApiFailure, PlainFailure, unauthorized } from "../model/failure.ts";
import type { Authority } from "./authority.ts";
import type { Tokens } from "./tokens.ts";
import { type Authorizer, CREDENTIAL_ID, serviceAccountOf, serviceAccountUser, type User } from "./users.ts";

/** Authenticates a request's sender; throws 401. */
export type Authenticator = (request: WireRequest, clientCertificate: string | undefined) => User;

const bearer = /^Bearer\s+(\S+)\s*$/i;

/** Client certificate first, then bearer token; anonymous requests are refused (--anonymous-auth=false). */
export const authenticator =
  (authority: Authority, tokens: Tokens): Authenticator =>
  (request, clientCertificate) => {
    const holder = clientCertificate ? authority.clientOf(clientCertificate) : undefined;
    if (holder) {
      const extra = { [CREDENTIAL_ID]: [`X509SHA256=${holder.fingerprint}`] };
      return { name: holder.commonName, groups: [...holder.organizations, "system:authenticated"], extra };
    }
    const token = bearer.exec(request.headers.authorization ?? "")?.[1];
    const user = token ? tokens.userOf(token) : undefined;
    if (!user) throw unauthorized();
    return user;
  };

const asked = { verb: "impersonate", group: "", subresource: "", namespace: undefined };

/** Error of k8s.io/apiserver/pkg/endpoints/filters/impersonation.go, with Go's spelling of the references. */
function withoutUser(url: string, groups: string): PlainFailure {
  const wanted = groups.split(",").map((group) => `{Group  ${group.trim()}    }`);
  const why = `requested [${wanted.join(" ")}] without impersonating a user`;
  return new PlainFailure(500, "", `Internal Server Error: ${JSON.stringify(url)}: ${why}\n`);
}

/**
 * Reads the user in the impersonation headers; undefined without them (Kubernetes documentation, User impersonation).
 */
function impersonated({ headers, url }: WireRequest): User | undefined {
  const name = headers["impersonate-user"];
  if (!name && headers["impersonate-group"] !== undefined) throw withoutUser(url, headers["impersonate-group"]);
  if (!name) return undefined;
  const account = serviceAccountOf(name);
  if (account) return serviceAccountUser(account.namespace, account.name);
  const groups = (headers["impersonate-group"] ?? "").split(",").map((group) => group.trim());
  return { name, groups: [...groups.filter(Boolean), "system:authenticated"] };
}

/** Lists what the sender must be allowed to impersonate; service accounts are a separate resource. */
const claims = (wanted: User): readonly { resource: string; name: string; namespace?: string }[] => {
  const account = serviceAccountOf(wanted.name);
  if (account) return [{ resource: "serviceaccounts", ...account }];
  const groups = wanted.groups.filter((group) => group !== "system:authenticated");
  return [{ resource: "users", name: wanted.name }, ...groups.map((name) => ({ resource: "groups", name }))];
};

/**
 * Finds the user that the request acts as: the sender, or the impersonated user (kubectl --as) if that is allowed.
 * @throws 403
 */
export function actingUser(request: WireRequest, sender: User, authorize: Authorizer): User {
  const wanted = impersonated(request);
  if (!wanted) return sender;
  const denied = claims(wanted).find((claim) => !authorize(sender, { ...asked, ...claim }).isAllowed);
  if (!denied) return wanted;
  const { resource, name } = denied;
  const message = `${resource} "${name}" is forbidden: User "${sender.name}" cannot impersonate resource "${resource}" in API group "" at the cluster scope`;
  throw new ApiFailure(403, "Forbidden", message, { name, kind: resource });
}
