import "reflect-metadata";
import { createPublicKey, verify } from "node:crypto";
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { CLIENT_SIGNER, SERVING_SIGNER } from "../../desired/signers.ts";

/** The key under which the API server names the credential that a request came with (k8s.io/apiserver, user.CredentialIDKey). */
export const CREDENTIAL_ID = "authentication.kubernetes.io/credential-id";

/** The credential id of a token, as the API server writes it (k8s.io/apiserver, CredentialIDForJTI). */
export const credentialOf = (tokenId: string): string => `JTI=${tokenId}`;

/** The judged fields of a CertificateSigningRequest. */
export interface PendingRequest {
  readonly name: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly signerName: string;
  readonly username: string;
  readonly groups: readonly string[];
  /** Ids of the credential that it was asked for with, by the API server's word. */
  readonly credentials: readonly string[];
  readonly usages: readonly string[];
  /** The PEM text (already decoded from the object's base64). */
  readonly pem: string;
}

/** Facts from EC2 and the cluster about the machine whose requests are awaited. */
export interface Expected {
  readonly nodeName: string;
  /** The account that machines join with. All machines share it, the cluster's own too. */
  readonly bootstrapper: string;
  /** Credential ids of the join tokens that this machine, and no other, was given. */
  readonly credentials: readonly string[];
  /** Addresses and DNS names of the instance, from EC2. */
  readonly addresses: readonly string[];
  readonly names: readonly string[];
  /** ISO 8601 time at which EC2 launched the instance: an older request is of a machine that had its address before. */
  readonly launchedAt: string;
  /** Does a Node of this name exist? */
  readonly nodeExists: boolean;
}

/** "other": not about this machine. "mismatch": about it, or made to look so, but not right: left pending, reported. */
export type Verdict =
  | { readonly verdict: "approve" }
  | { readonly verdict: "other" }
  | { readonly verdict: "mismatch"; readonly why: string };

interface Parsed {
  readonly commonNames: readonly string[];
  readonly organizations: readonly string[];
  /** Values in the subject, of whatever kind. */
  readonly subjectValues: number;
  readonly dns: readonly string[];
  readonly ips: readonly string[];
  /** URIs, e-mail addresses, directory names: never in a kubelet's request. */
  readonly otherNames: number;
  /** Nothing is asked for beside at most one list of alternative names. */
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

/** The bytes that were signed: the first of three elements which, in one SEQUENCE, are the whole (RFC 2986 §4.2). */
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

/** Both sets that the signers allow, with and without key encipherment (only RSA keys need it). */
const usagesAre = (usages: readonly string[], purpose: "client auth" | "server auth"): boolean =>
  sameSet(usages, ["digital signature", purpose]) ||
  sameSet(usages, ["key encipherment", "digital signature", purpose]);

/** Checks the age of a request; one whose dates cannot be compared counts as old. */
const ageFault = (pending: PendingRequest, expected: Expected): string | null =>
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

function clientFault(pending: PendingRequest, request: Parsed, expected: Expected): string | null {
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

function servingFault(pending: PendingRequest, request: Parsed, expected: Expected): string | null {
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

/** A node's name that is ours in another case, contains ours or is contained in it: "system:node:ip-10-0-0-1.evil". */
function looksLike(commonName: string, nodeName: string): boolean {
  const ours = nodeName.toLowerCase();
  const [, theirs] = /^system:node:(.+)$/.exec(commonName.toLowerCase()) ?? [];
  return theirs !== undefined && (theirs.includes(ours) || ours.includes(theirs));
}

/** Mismatch with its reason, cut to 300 characters: a request is anybody's text, and the reason goes into messages. */
const mismatch = (why: string): Verdict => ({ verdict: "mismatch", why: why.slice(0, 300) });

/**
 * Judges one request by rules stricter than WMCO's: exact name, exact usages, exact requester, and every
 * address must be the instance's own by EC2's word.
 * @param pending a request for one of the two kubelet signers; any other signer's requests are left to others
 * @param expected the machine we wait for
 */
export function judge(pending: PendingRequest, expected: Expected): Verdict {
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
 * Gives the reason why a request for another machine than the awaited one is suspicious. A right request of another machine
 * is left to the operation that awaits it; a request for an unknown name or a name already taken must be shown to people.
 * @returns null when the request is not suspicious
 */
export function suspicion(pending: PendingRequest, known: KnownNames): string | null {
  if (pending.signerName !== CLIENT_SIGNER && pending.signerName !== SERVING_SIGNER) return null;
  const request = parsed(pending.pem);
  if (typeof request === "string") return null;
  const [, nodeName] = /^system:node:(.+)$/s.exec(request.commonNames.join(",")) ?? [];
  return (nodeName === undefined ? null : strangeName(pending, nodeName, known))?.slice(0, 300) ?? null;
}
