import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import type { Simulation } from "../../core/simulation.ts";
import { newKey } from "../../core/sync-webcrypto.ts";
import { at, fieldsOf, type KubeObject, listOf } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Objects } from "../store/objects.ts";
import { CREDENTIAL_ID, serviceAccountOf, serviceAccountUser, type User } from "./users.ts";

/** Issuer and audience of this cluster's tokens. */
export const AUDIENCE = "https://kubernetes.default.svc";

/** Limits of a token besides its expiry. */
export interface TokenLimits {
  /** Audiences of the token; by default this API server. */
  readonly audiences?: readonly string[];
  /** The Secret in its account's namespace that it is bound to: the token ends with it. */
  readonly secret?: KubeObject | undefined;
}

/** Issues and checks bearer tokens. */
export interface Tokens {
  /**
   * Issues a signed token for a service account ("system:serviceaccount:ns:name") or a person.
   * @param ttlSeconds seconds until it expires; null for none
   */
  issue(
    user: Pick<User, "name"> & { readonly groups?: readonly string[] },
    ttlSeconds: number | null,
    limits?: TokenLimits,
  ): string;
  /**
   * Finds the user of a token; undefined when it is forged, expired, for other audiences, or bound to something that is
   * gone. A valid token stays valid for ten more seconds, whatever happens in the meantime.
   */
  userOf(token: string, audiences?: readonly string[]): User | undefined;
  /** The pages by which others verify tokens, by path. */
  readonly pages: ReadonlyMap<string, unknown>;
}

/** Path of the keys that verify tokens. */
export const JWKS = "/openid/v1/jwks";

/** Id of a key: the hash of its DER form (k8s pkg/serviceaccount/jwt.go, keyIDFromPublicKey). */
const keyIdOf = (key: KeyObject): string =>
  createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");

/** Pages of the issuer (k8s pkg/serviceaccount/openidmetadata.go). */
const issuerPages = (key: KeyObject, kid: string): ReadonlyMap<string, unknown> =>
  new Map<string, unknown>([
    [JWKS, { keys: [{ use: "sig", ...key.export({ format: "jwk" }), kid, alg: "ES256" }] }],
    [
      "/.well-known/openid-configuration",
      {
        issuer: AUDIENCE,
        jwks_uri: `${AUDIENCE}${JWKS}`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["ES256"],
      },
    ],
  ]);

interface Claims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp?: number;
  readonly jti?: string;
  readonly groups?: readonly string[];
  readonly "kubernetes.io"?: unknown;
}

/** Time for which kube-apiserver caches that a token was valid (pkg/kubeapiserver/options, TokenSuccessCacheTTL). */
const REMEMBERED_MS = 10_000;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

/** Reads a token's audiences without checking its signature. */
export const audiencesOf = (token: string): string[] => listOf(at(decode(token.split(".")[1] ?? ""), "aud"));

function claimsOf(token: string, key: KeyObject): Claims | undefined {
  const [header, payload, signature] = token.split(".");
  if (!header || !payload || !signature) return undefined;
  const said = Buffer.from(`${header}.${payload}`);
  const options = { key, dsaEncoding: "ieee-p1363" as const };
  if (!verify("sha256", said, options, Buffer.from(signature, "base64url"))) return undefined;
  return fieldsOf(decode(payload)) as unknown as Claims;
}

type Judge = (token: string, audiences: readonly string[]) => User | undefined;

/** Caches the tokens that were valid a moment ago. */
function remembering({ clock }: Simulation, judge: Judge): Judge {
  const remembered = new Map<string, { readonly user: User; readonly until: number }>();
  return (token, audiences) => {
    const key = `${audiences.join(" ")} ${token}`;
    const before = remembered.get(key);
    if (before && clock.now() < before.until) return before.user;
    remembered.delete(key);
    const user = judge(token, audiences);
    if (user) remembered.set(key, { user, until: clock.now() + REMEMBERED_MS });
    return user;
  };
}

/**
 * Builds the token's id as the authenticator writes it into the user's extra (k8s.io/apiserver, CredentialIDForJTI).
 */
const credentialOf = ({ jti }: Pick<Claims, "jti">): Pick<User, "extra"> =>
  jti ? { extra: { [CREDENTIAL_ID]: [`JTI=${jti}`] } } : {};

/** Builds the issuer on a key kept in the store; tokens are JWTs as the service account issuer signs them (ES256). */
export function tokenIssuer(simulation: Simulation, objects: Objects): Tokens {
  const kept = simulation.store.collection<string>("kubernetes-token-key");
  const pem = kept.get("key") ?? newKey();
  kept.set("key", pem);
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const kid = keyIdOf(publicKey);
  const [accounts, secrets] = [known("serviceaccounts"), known("secrets")];
  const seconds = (): number => Math.floor(simulation.clock.now() / 1000);

  const boundTo = (user: string, secret: KubeObject | undefined): Record<string, unknown> => {
    const account = serviceAccountOf(user);
    const stored = account && objects.get(accounts, account.namespace, account.name);
    if (!account || !stored) return {};
    return {
      "kubernetes.io": {
        namespace: account.namespace,
        ...(secret ? { secret: { name: secret.metadata.name, uid: secret.metadata.uid } } : {}),
        serviceaccount: { name: account.name, uid: stored.metadata.uid },
      },
    };
  };

  /** Does the Secret that the token is bound to still exist? (pkg/serviceaccount/claims.go, Validate) */
  const isBoundSecretStored = (namespace: string, claim: unknown): boolean => {
    const secret = at(claim, "secret", "name");
    if (secret === undefined) return true;
    return objects.get(secrets, namespace, String(secret))?.metadata.uid === at(claim, "secret", "uid");
  };

  /**
   * Finds the user behind a token: it is valid only as long as its account and the object that it is bound to exist.
   */
  const userBehind = ({ sub, groups, ...claims }: Claims): User | undefined => {
    const account = serviceAccountOf(sub);
    if (!account) return { name: sub, groups: [...(groups ?? []), "system:authenticated"] };
    const stored = objects.get(accounts, account.namespace, account.name);
    const uid = at(claims["kubernetes.io"], "serviceaccount", "uid");
    return stored?.metadata.uid === uid && isBoundSecretStored(account.namespace, claims["kubernetes.io"])
      ? { ...serviceAccountUser(account.namespace, account.name), uid: String(uid), ...credentialOf(claims) }
      : undefined;
  };

  const judged = remembering(simulation, (token, audiences) => {
    const claims = claimsOf(token, publicKey);
    if (!claims?.sub || (claims.exp !== undefined && claims.exp <= seconds())) return undefined;
    return audiences.some((one) => claims.aud.includes(one)) ? userBehind(claims) : undefined;
  });

  return {
    issue: ({ name, groups }, ttlSeconds, { audiences = [AUDIENCE], secret } = {}) => {
      const now = seconds();
      const claims = {
        iss: AUDIENCE,
        aud: audiences,
        sub: name,
        iat: now,
        nbf: now,
        jti: simulation.random.uuid(),
        ...(ttlSeconds === null ? {} : { exp: now + ttlSeconds }),
        ...(groups ? { groups } : {}),
        ...boundTo(name, secret),
      };
      const said = `${encode({ alg: "ES256", kid })}.${encode(claims)}`;
      return `${said}.${sign("sha256", Buffer.from(said), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
    },
    userOf: (token, audiences = [AUDIENCE]) => judged(token, audiences),
    pages: issuerPages(publicKey, kid),
  };
}
