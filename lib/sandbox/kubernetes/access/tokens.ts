import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { Foundation } from "../../core/foundation.ts";
import { newKey } from "../../core/prompt-crypto.ts";
import { at, fieldsOf } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Objects } from "../store/objects.ts";
import { serviceAccountOf, serviceAccountUser, type User } from "./users.ts";

/** Issuer and audience of this cluster's tokens. */
export const AUDIENCE = "https://kubernetes.default.svc";

/** Gives out and checks bearer tokens. */
export interface Tokens {
  /**
   * A signed token for a service account ("system:serviceaccount:ns:name") or a person.
   * @param ttlSeconds seconds until it expires, null for one that does not
   * @param audiences whom it is meant for; this API server unless told
   */
  issue(
    user: Pick<User, "name"> & { readonly groups?: readonly string[] },
    ttlSeconds: number | null,
    audiences?: readonly string[],
  ): string;
  /** Who the token stands for; undefined when it is forged, expired, meant for others, or its service account is gone. */
  userOf(token: string, audiences?: readonly string[]): User | undefined;
}

interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp?: number;
  readonly groups?: readonly string[];
  readonly "kubernetes.io"?: unknown;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

function claimsOf(token: string, key: KeyObject): Claims | undefined {
  const [header, payload, signature] = token.split(".");
  if (!header || !payload || !signature) return undefined;
  const said = Buffer.from(`${header}.${payload}`);
  const options = { key, dsaEncoding: "ieee-p1363" as const };
  if (!verify("sha256", said, options, Buffer.from(signature, "base64url"))) return undefined;
  return fieldsOf(decode(payload)) as unknown as Claims;
}

/** Builds the issuer on a key kept in the store; tokens are JWTs as the service account issuer signs them (ES256). */
export function tokenIssuer(foundation: Foundation, objects: Objects): Tokens {
  const kept = foundation.store.collection<string>("kubernetes-token-key");
  const pem = kept.get("key") ?? newKey();
  kept.set("key", pem);
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const accounts = known("serviceaccounts");
  const seconds = (): number => Math.floor(foundation.clock.now() / 1000);

  const boundTo = (user: string): Record<string, unknown> => {
    const account = serviceAccountOf(user);
    const stored = account && objects.get(accounts, account.namespace, account.name);
    if (!account || !stored) return {};
    return {
      "kubernetes.io": {
        namespace: account.namespace,
        serviceaccount: { name: account.name, uid: stored.metadata.uid },
      },
    };
  };

  /** A service account's token lives no longer than the account itself. */
  const userBehind = ({ sub, groups, ...claims }: Claims): User | undefined => {
    const account = serviceAccountOf(sub);
    if (!account) return { name: sub, groups: [...(groups ?? []), "system:authenticated"] };
    const stored = objects.get(accounts, account.namespace, account.name);
    const uid = at(claims["kubernetes.io"], "serviceaccount", "uid");
    return stored?.metadata.uid === uid
      ? { ...serviceAccountUser(account.namespace, account.name), uid: String(uid) }
      : undefined;
  };

  return {
    issue: ({ name, groups }, ttlSeconds, audiences = [AUDIENCE]) => {
      const now = seconds();
      const claims = {
        iss: AUDIENCE,
        aud: audiences,
        sub: name,
        iat: now,
        nbf: now,
        jti: foundation.random.uuid(),
        ...(ttlSeconds === null ? {} : { exp: now + ttlSeconds }),
        ...(groups ? { groups } : {}),
        ...boundTo(name),
      };
      const said = `${encode({ alg: "ES256", kid: "casement" })}.${encode(claims)}`;
      return `${said}.${sign("sha256", Buffer.from(said), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
    },
    userOf: (token, audiences = [AUDIENCE]) => {
      const claims = claimsOf(token, publicKey);
      if (!claims?.sub || (claims.exp !== undefined && claims.exp <= seconds())) return undefined;
      if (!audiences.some((one) => claims.aud.includes(one))) return undefined;
      return userBehind(claims);
    },
  };
}
