import type { WireRequest } from "../../core/wire.ts";
import { unauthorized } from "../model/failure.ts";
import type { Authority } from "./authority.ts";
import type { Tokens } from "./tokens.ts";
import type { User } from "./users.ts";

/** Says who sent a request; throws 401. */
export type Authenticator = (request: WireRequest, clientCertificate: string | undefined) => User;

const bearer = /^Bearer\s+(\S+)\s*$/i;

/** Client certificate first, then bearer token; nobody is let in anonymously (--anonymous-auth=false). */
export const authenticator =
  (authority: Authority, tokens: Tokens): Authenticator =>
  (request, clientCertificate) => {
    const holder = clientCertificate ? authority.clientOf(clientCertificate) : undefined;
    if (holder) return { name: holder.commonName, groups: [...holder.organizations, "system:authenticated"] };
    const token = bearer.exec(request.headers.authorization ?? "")?.[1];
    const user = token ? tokens.userOf(token) : undefined;
    if (!user) throw unauthorized();
    return user;
  };
