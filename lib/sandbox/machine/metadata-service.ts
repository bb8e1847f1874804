import type { RoleCredentials } from "../aws/role-credentials.ts";
import type { Random } from "../core/random.ts";
import type { WireRequest, WireResponse } from "../core/wire.ts";

/** Facts about the instance that its metadata service serves. */
export interface MetadataFacts {
  readonly mac: string;
  readonly region: string;
  /** "amazonaws.com", or another partition's. */
  readonly domain: string;
  /** Undefined without an instance profile. */
  readonly role: { readonly name: string; credentials(): RoleCredentials } | undefined;
}

/** Serves one instance's metadata. */
export type MetadataService = (request: WireRequest) => WireResponse;

const text = (body: string, status = 200): WireResponse => ({
  status,
  headers: { "content-type": "text/plain" },
  body,
});
const isoSeconds = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");

const CREDENTIALS = "iam/security-credentials/";

function credentialsText(found: RoleCredentials, now: number): string {
  return JSON.stringify({
    Code: "Success",
    LastUpdated: isoSeconds(now),
    Type: "AWS-HMAC",
    AccessKeyId: found.accessKeyId,
    SecretAccessKey: found.secretAccessKey,
    Token: found.token,
    Expiration: isoSeconds(found.until),
  });
}

function answerOf({ mac, region, domain, role }: MetadataFacts, path: string, now: number): string | undefined {
  const plain: Readonly<Record<string, string>> = { mac, "placement/region": region, "services/domain": domain };
  if (path in plain) return plain[path];
  if (!role) return undefined;
  if (path === CREDENTIALS) return role.name;
  return path === `${CREDENTIALS}${role.name}` ? credentialsText(role.credentials(), now) : undefined;
}

/**
 * Builds the instance metadata service, version 2 alone (EC2 User Guide, "Access instance metadata", "Instance metadata
 * categories", "Retrieve security credentials"): a token by PUT, which lives 1 to 21,600 seconds, and no answer without it.
 * @param now ms since the epoch
 */
export function metadataService(facts: () => MetadataFacts, random: Random, now: () => number): MetadataService {
  const tokens = new Map<string, number>();

  const makeToken = ({ headers }: WireRequest): WireResponse => {
    const seconds = Number(headers["x-aws-ec2-metadata-token-ttl-seconds"]);
    // A request through a proxy is refused (the same guide: X-Forwarded-For).
    if (headers["x-forwarded-for"] !== undefined) return text("", 403);
    if (!(seconds >= 1 && seconds <= 21_600)) return text("", 400);
    const token = Buffer.from(random.hex(40)).toString("base64");
    tokens.set(token, now() + seconds * 1_000);
    return text(token);
  };

  return (request) => {
    if (request.url === "/latest/api/token") return request.method === "PUT" ? makeToken(request) : text("", 405);
    const until = tokens.get(request.headers["x-aws-ec2-metadata-token"] ?? "") ?? 0;
    if (until <= now()) return text("", 401);
    const answer = answerOf(facts(), request.url.replace("/latest/meta-data/", ""), now());
    return answer === undefined ? text("", 404) : text(answer);
  };
}
