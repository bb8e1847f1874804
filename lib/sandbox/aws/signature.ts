import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import { percentEncoded, type WireRequest } from "../core/wire.ts";

/** A request's signature and its scope, from the header or from the query of a presigned URL. */
export interface Signature {
  readonly keyId: string;
  /** yyyymmdd of the credential scope. */
  readonly date: string;
  readonly region: string;
  /** The service's name in the credential scope, by which the endpoint finds the service. */
  readonly service: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** yyyymmddThhmmssZ */
  readonly time: string;
  /** Seconds for which a presigned URL is valid; undefined for a signature in the header. */
  readonly expires?: number;
  readonly token?: string;
}

/** Reasons why a signature is invalid; each service has its own words for them. */
export type Fault =
  | "missing"
  | "incomplete"
  | "expired"
  | "lapsed"
  | "expired-token"
  | "unknown-key"
  | "wrong-region"
  | "wrong"
  | "bad-token"
  | "body-changed";

/** Secret and principal that belong to an access key id. */
export interface Key {
  readonly secret: string;
  /** Function name, person, or "instance/i-…". */
  readonly principal: string;
  readonly sessionToken?: string;
  /** Expiry of temporary credentials, ms of the host's clock. */
  readonly until?: number;
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer | KeyObject, data: string): Buffer =>
  createHmac("sha256", key).update(data).digest();

const splitUrl = (url: string): { path: string; query: string } => {
  const at = url.indexOf("?");
  return at < 0 ? { path: url, query: "" } : { path: url.slice(0, at), query: url.slice(at + 1) };
};

/**
 * Decodes a percent-encoded part; text that is not properly encoded stays as it is, and so matches no name and no
 * signature.
 */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const decodedPair = (pair: string): [string, string] => {
  const at = pair.indexOf("=");
  const [name, value] = at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
  return [decoded(name), decoded(value)];
};

const queryPairs = (query: string): [string, string][] => query.split("&").filter(Boolean).map(decodedPair);

function headerSignature(request: WireRequest): Signature | Fault {
  const header = request.headers.authorization ?? "";
  const field = (name: string): string => new RegExp(`${name}=([^,\\s]+)`).exec(header)?.[1] ?? "";
  const [keyId, date, region, service, end] = field("Credential").split("/");
  const time = request.headers["x-amz-date"] ?? "";
  const signature = field("Signature");
  const complete = header.startsWith("AWS4-HMAC-SHA256 ") && end === "aws4_request" && time && signature;
  if (!complete || !keyId || !date || !region || !service) return "incomplete";
  const token = request.headers["x-amz-security-token"];
  const signedHeaders = field("SignedHeaders").split(";");
  return { keyId, date, region, service, signedHeaders, signature, time, ...(token ? { token } : {}) };
}

/** A presigned URL is valid for seven days at most (S3 User Guide, "Authenticating requests: using query parameters"). */
const LONGEST_SECONDS = 604_800;

function querySignature(query: ReadonlyMap<string, string>): Signature | Fault {
  const [keyId, date, region, service] = (query.get("X-Amz-Credential") ?? "").split("/");
  const signature = query.get("X-Amz-Signature");
  const time = query.get("X-Amz-Date");
  const expires = Number(query.get("X-Amz-Expires"));
  if (!keyId || !date || !region || !service || !signature || !time) return "incomplete";
  if (!(expires > 0 && expires <= LONGEST_SECONDS)) return "incomplete";
  const signedHeaders = (query.get("X-Amz-SignedHeaders") ?? "").split(";");
  const token = query.get("X-Amz-Security-Token");
  return { keyId, date, region, service, signedHeaders, signature, time, expires, ...(token ? { token } : {}) };
}

/**
 * Reads a request's signature without checking it.
 * @returns the signature, "missing" when there is none, "incomplete" when parts of it are
 */
export function signatureOf(request: WireRequest): Signature | Fault {
  if (request.headers.authorization) return headerSignature(request);
  const query = new Map(queryPairs(splitUrl(request.url).query));
  return query.has("X-Amz-Signature") || query.has("X-Amz-Credential") ? querySignature(query) : "missing";
}

const byNameThenValue = ([name, value]: [string, string], [otherName, otherValue]: [string, string]): number => {
  if (name !== otherName) return name < otherName ? -1 : 1;
  return value < otherValue ? -1 : 1;
};

function canonicalQuery(query: string): string {
  return queryPairs(query)
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]): [string, string] => [percentEncoded(name), percentEncoded(value)])
    .sort(byNameThenValue)
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** Every service but S3 encodes the path a second time (Signature Version 4, "Create a canonical request"). */
const canonicalPath = (path: string, service: string): string =>
  service === "s3" ? path : path.split("/").map(percentEncoded).join("/");

const payloadHash = (request: WireRequest, claim: Signature): string =>
  request.headers["x-amz-content-sha256"] ??
  (claim.expires !== undefined && claim.service === "s3" ? "UNSIGNED-PAYLOAD" : sha256(request.body));

function canonicalRequest(request: WireRequest, claim: Signature): string {
  const { path, query } = splitUrl(request.url);
  const headers = claim.signedHeaders.map(
    (name) => `${name}:${(request.headers[name] ?? "").trim().replace(/ +/g, " ")}\n`,
  );
  return [
    request.method,
    canonicalPath(path, claim.service),
    canonicalQuery(query),
    headers.join(""),
    claim.signedHeaders.join(";"),
    payloadHash(request, claim),
  ].join("\n");
}

const signingKeys = new Map<string, KeyObject>();

/** Derives the signing key of a secret and a scope: valid for a day, so it is cached ("Derive a signing key"). */
function signingKey(secret: string, scope: string): KeyObject {
  const known = signingKeys.get(`${secret} ${scope}`);
  if (known) return known;
  const key = createSecretKey(scope.split("/").reduce(hmac, Buffer.from(`AWS4${secret}`)));
  signingKeys.set(`${secret} ${scope}`, key);
  return key;
}

function expectedSignature(request: WireRequest, claim: Signature, secret: string): string {
  const scope = `${claim.date}/${claim.region}/${claim.service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", claim.time, scope, sha256(canonicalRequest(request, claim))].join("\n");
  return hmac(signingKey(secret, scope), text).toString("hex");
}

const millisecondsOf = (time: string): number =>
  Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

/**
 * Largest difference of a request's clock: 15 minutes (Signature Version 4, "Troubleshooting"); a presigned URL names
 * its own limit.
 */
const SKEW = 15 * 60_000;

function outOfTime(claim: Signature, hostNow: number): boolean {
  const signed = millisecondsOf(claim.time);
  if (Number.isNaN(signed) || !claim.time.startsWith(claim.date)) return true;
  const latest = claim.expires === undefined ? SKEW : claim.expires * 1_000;
  return hostNow > signed + latest || hostNow < signed - SKEW;
}

/** Are the required headers signed? They are the host and every x-amz-… that was sent. */
const signsEnough = (request: WireRequest, claim: Signature): boolean =>
  claim.signedHeaders.includes("host") &&
  Object.keys(request.headers).every(
    (name) => !name.startsWith("x-amz-") || claim.expires !== undefined || claim.signedHeaders.includes(name),
  );

function bodyMatches(request: WireRequest): boolean {
  const said = request.headers["x-amz-content-sha256"];
  return said === undefined || !/^[0-9a-f]{64}$/.test(said) || said === sha256(request.body);
}

const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Region and time at which a signature is checked. */
export interface SigningContext {
  /** The only region; a signature for another one is refused. */
  readonly region: string;
  /** The host's time in milliseconds: endpoints use it, not the sandbox's. */
  readonly hostNow: number;
}

/**
 * Checks a request's signature (AWS Signature Version 4, header or presigned form).
 * @param key key behind the key id; undefined when unknown
 * @returns undefined when it is valid, otherwise the fault
 */
export function faultOf(
  request: WireRequest,
  claim: Signature,
  key: Key | undefined,
  { region, hostNow }: SigningContext,
): Fault | undefined {
  if (!key) return "unknown-key";
  if (outOfTime(claim, hostNow)) return claim.expires === undefined ? "expired" : "lapsed";
  if (claim.region !== region) return "wrong-region";
  if (key.sessionToken !== claim.token) return "bad-token";
  if (key.until !== undefined && hostNow >= key.until) return "expired-token";
  if (!signsEnough(request, claim) || !same(expectedSignature(request, claim, key.secret), claim.signature))
    return "wrong";
  return bodyMatches(request) ? undefined : "body-changed";
}
