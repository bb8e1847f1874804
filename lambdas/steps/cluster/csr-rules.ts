import "reflect-metadata";
import { createPublicKey, verify } from "node:crypto";
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { CLIENT_SIGNER, SERVING_SIGNER } from "../../cluster/signers.ts";

/** Key under which the API server records the credential of a request (k8s.io/apiserver, user.CredentialIDKey). */
export const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

/** The credential id of a token, as the API server writes it (k8s.io/apiserver, CredentialIDForJTI). */
export const credentialOf = (tokenId: string): string => `JTI=${tokenId}`;

/** The fields of a CertificateSigningRequest that are judged. */
export interface PendingRequest {
  readonly name: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly signerName: string;
  readonly username: string;
  readonly groups: readonly string[];
  /** Ids of the requester's credential, as recorded by the API server. */
  readonly credentials: readonly string[];
  readonly usages: readonly string[];
  /** The PEM text (already decoded from the object's base64). */
  readonly pem: string;
}

/** Facts from EC2 and the cluster about the awaited machine. */
export interface ExpectedRequest {
  readonly nodeName: string;
  /** The account with which all machines join, including those of the cluster itself. */
  readonly bootstrapper: string;
  /** Credential ids of the join tokens that only this machine was given. */
  readonly credentials: readonly string[];
  /** The instance's addresses and DNS names, from EC2. */
  readonly addresses: readonly string[];
  readonly names: readonly string[];
  /** ISO 8601 time of EC2's launch: an older request comes from a machine that had the address before. */
  readonly launchedAt: string;
  /** Does a Node of this name exist? */
  readonly nodeExists: boolean;
  /** Reason why the machine and the Nodes that name it do not belong together; null if there is none. */
  readonly identityFault: string | null;
}

/**
 * "other": about another machine. "mismatch": about this machine, or made to look like it, but incorrect; it is left
 * pending and reported.
 */
export type CsrVerdict =
  | { readonly verdict: "approve" }
  | { readonly verdict: "other" }
  | { readonly verdict: "mismatch"; readonly why: string };

interface Parsed {
  readonly commonNames: readonly string[];
  readonly organizations: readonly string[];
  /** Number of values in the subject, of any kind. */
  readonly subjectValues: number;
  readonly dns: readonly string[];
  readonly ips: readonly string[];
  /** Number of URIs, e-mail addresses and directory names, which a kubelet never requests. */
  readonly otherNames: number;
  /** Does the request ask for nothing but at most one list of alternative names? */
  readonly plain: boolean;
}

const PEM = /^\s*-----BEGIN CERTIFICATE REQUEST-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE REQUEST-----\s*$/;

/** Finds the start and the end of the content of a DER element that begins at a byte (X.690 §8.1.3). */
function elementAt(der: Buffer, at: number): { readonly start: number; readonly end: number } {
  const length = der.readUInt8(at + 1);
  if (length < 0x80) return { start: at + 2, end: at + 2 + length };
  const start = at + 2 + (length & 0x7f);
  return { start, end: start + der.readUIntBE(at + 2, length & 0x7f) };
}

/**
 * The signed bytes: the first of the three elements that make up the whole request, in one SEQUENCE (RFC 2986 §4.2).
 */
function signedPart(der: Buffer): Buffer {
  const whole = elementAt(der, 0);
  const information = elementAt(der, whole.start);
  const algorithm = elementAt(der, information.end);
  const signature = elementAt(der, algorithm.end);
  if (whole.end !== der.length || signature.end !== der.length) throw new Error("its lengths do not add up");
  return der.subarray(whole.start, information.end);
}

function selfSigned(request: Pkcs10CertificateRequest): boolean {
  const key = createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: "der", type: "spki" });
  const hash = request.signatureAlgorithm.hash.name.replace("-", "").toLowerCase();
  return verify(hash, signedPart(Buffer.from(request.rawData)), key, Buffer.from(request.signature));
}

function parsed(pem: string): Parsed | string {
  if (!PEM.test(pem)) return "it is not exactly one PEM certificate request";
  try {
    const request = new Pkcs10CertificateRequest(pem);
    if (!selfSigned(request)) return "it is not signed by its own key";
    const alternatives = request.extensions.filter((one) => one instanceof SubjectAlternativeNameExtension);
    const names = alternatives.flatMap((extension) => extension.names.items);
    const of = (type: string) => names.filter((name) => name.type === type).map((name) => name.value);
    return {
      commonNames: request.subjectName.getField("CN"),
      organizations: request.subjectName.getField("O"),
      subjectValues: request.subjectName.toJSON().flatMap((part) => Object.values(part).flat()).length,
      dns: of("dns"),
      ips: of("ip"),
      otherNames: names.filter((name) => name.type !== "dns" && name.type !== "ip").length,
      plain:
        alternatives.length <= 1 &&
        request.extensions.length === alternatives.length &&
        request.attributes.length === alternatives.length,
    };
  } catch (error) {
    return `it cannot be read (${error instanceof Error ? error.message : "unknown reason"})`;
  }
}

const sameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && other.every((entry) => one.includes(entry));

/**
 * Do the usages match one of the two sets that the signers allow: with key encipherment, which only RSA keys need, or
 * without?
 */
const usagesAre = (usages: readonly string[], purpose: "client auth" | "server auth"): boolean =>
  sameSet(usages, ["digital signature", purpose]) ||
  sameSet(usages, ["key encipherment", "digital signature", purpose]);

/** Checks the age of a request; one whose dates cannot be compared is treated as too old. */
const ageFault = (pending: PendingRequest, expected: ExpectedRequest): string | null =>
  Date.parse(pending.createdAt) >= Date.parse(expected.launchedAt)
    ? null
    : "it is older than the instance: another machine made it";

const subjectFault = (request: Parsed): string | null => {
  if (request.organizations.join() !== "system:nodes")
    return `its organizations are "${request.organizations.join(", ")}", not exactly system:nodes`;
  if (request.subjectValues !== 2) return "its subject has more than a common name and an organization";
  if (!request.plain) return "it requests more than alternative names";
  return null;
};

function clientFault(pending: PendingRequest, request: Parsed, expected: ExpectedRequest): string | null {
  if (pending.username !== expected.bootstrapper)
    return `it was made by ${pending.username}, not by ${expected.bootstrapper}`;
  const [credential, ...more] = pending.credentials;
  if (credential === undefined) return "it does not show the join token that it was made with";
  if (more.length > 0 || !expected.credentials.includes(credential))
    return `it was made with another join token (${pending.credentials.join(", ")}) than this machine's`;
  if (!usagesAre(pending.usages, "client auth")) return `its usages are ${pending.usages.join(", ")}`;
  if (request.dns.length + request.ips.length + request.otherNames > 0)
    return "a client certificate must carry no alternative names";
  if (expected.nodeExists) return `a Node named ${expected.nodeName} already exists`;
  return null;
}

function servingFault(pending: PendingRequest, request: Parsed, expected: ExpectedRequest): string | null {
  if (pending.username !== `system:node:${expected.nodeName}`)
    return `it was made by ${pending.username}, not by the node itself`;
  if (!pending.groups.includes("system:nodes")) return "its requester is not in the group system:nodes";
  if (!usagesAre(pending.usages, "server auth")) return `its usages are ${pending.usages.join(", ")}`;
  if (!expected.nodeExists) return `no Node named ${expected.nodeName} exists`;
  if (request.otherNames > 0) return "it carries a URI, an e-mail address or another kind of name";
  if (request.dns.length + request.ips.length === 0) return "it names no address";
  const foreign = [
    ...request.dns.filter((name) => !expected.names.includes(name)),
    ...request.ips.filter((ip) => !expected.addresses.includes(ip)),
  ];
  return foreign.length > 0 ? `${foreign.join(", ")} does not belong to the instance` : null;
}

/**
 * Does a name differ from the node's only in case, contain it, or is it contained in it:
 * "system:node:ip-10-0-0-1.evil"?
 */
function looksLike(commonName: string, nodeName: string): boolean {
  const ours = nodeName.toLowerCase();
  const [, theirs] = /^system:node:(.+)$/.exec(commonName.toLowerCase()) ?? [];
  return theirs !== undefined && (theirs.includes(ours) || ours.includes(theirs));
}

/**
 * A mismatch and its reason, cut to 300 characters: a request may contain anyone's text, and the reason appears in
 * messages.
 */
const mismatch = (why: string): CsrVerdict => ({ verdict: "mismatch", why: why.slice(0, 300) });

/**
 * Judges one request by rules stricter than WMCO's: exact name, exact usages, exact requester, and only addresses that
 * EC2 lists for the instance.
 * @param pending a request to one of the two kubelet signers; requests to other signers are ignored
 * @param expected the awaited machine
 */
export function judge(pending: PendingRequest, expected: ExpectedRequest): CsrVerdict {
  if (pending.signerName !== CLIENT_SIGNER && pending.signerName !== SERVING_SIGNER) return { verdict: "other" };
  const request = parsed(pending.pem);
  const asks = pending.username === `system:node:${expected.nodeName}`;
  if (typeof request === "string") return asks ? mismatch(request) : { verdict: "other" };
  const commonName = request.commonNames.join(",");
  if (commonName !== `system:node:${expected.nodeName}`) {
    if (!asks && !looksLike(commonName, expected.nodeName)) return { verdict: "other" };
    return mismatch(`it requests the name ${commonName}`);
  }
  const fault =
    expected.identityFault ??
    ageFault(pending, expected) ??
    subjectFault(request) ??
    (pending.signerName === CLIENT_SIGNER ? clientFault : servingFault)(pending, request, expected);
  return fault === null ? { verdict: "approve" } : mismatch(fault);
}

/** Known names: the cluster's instances as EC2 lists them, and the Nodes that exist. */
export interface KnownNames {
  readonly instances: readonly string[];
  readonly nodes: readonly string[];
}

function strangeName(pending: PendingRequest, nodeName: string, known: KnownNames): string | null {
  const isItsOwn = pending.username === `system:node:${nodeName}`;
  if (!known.instances.includes(nodeName))
    return `it requests the name system:node:${nodeName}, but no instance of this cluster has that name`;
  if (pending.signerName === SERVING_SIGNER && !isItsOwn)
    return `it requests the name system:node:${nodeName} on behalf of ${pending.username}`;
  if (known.nodes.includes(nodeName) && !isItsOwn)
    return `it requests the name of the Node ${nodeName}, which already exists`;
  return null;
}

/**
 * Explains why a request for a machine other than the awaited one is suspicious. A correct request is left to the
 * operation that awaits its machine; a request for an unknown name or a name already taken must be reported to people.
 * @returns null if the request is not suspicious
 */
export function suspicion(pending: PendingRequest, known: KnownNames): string | null {
  if (pending.signerName !== CLIENT_SIGNER && pending.signerName !== SERVING_SIGNER) return null;
  const request = parsed(pending.pem);
  if (typeof request === "string") return null;
  const [, nodeName] = /^system:node:(.+)$/s.exec(request.commonNames.join(",")) ?? [];
  return (nodeName === undefined ? null : strangeName(pending, nodeName, known))?.slice(0, 300) ?? null;
}
