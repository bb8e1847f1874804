import { X509Certificate } from "node:crypto";
import type { CertificateStore } from "../../machine/plan.ts";
import { utc } from "../../messages/slack/age.ts";

/** A certificate authority of a bundle that Windows machines may trust. */
export interface TrustedAuthority {
  /** Root for a certificate that is signed with its own key. */
  readonly store: CertificateStore;
  /** SHA-1 in upper-case hex, by which Windows names it. */
  readonly thumbprint: string;
  /** "O=Example, CN=Example Root". */
  readonly subject: string;
  readonly issuer: string;
  /** SHA-256 in upper-case hex with colons, as OpenSSL shows it. */
  readonly fingerprint: string;
  /** ISO 8601. */
  readonly notAfter: string;
  readonly pem: string;
}

/** A block of a bundle that no machine gets. */
export interface RefusedBlock {
  /** Null for a block that is no certificate. */
  readonly certificate: Omit<TrustedAuthority, "pem"> | null;
  /** "it expired at 2026-11-26 03:00 UTC". */
  readonly reason: string;
  /** It is damaged, and may have been any certificate. */
  readonly isDamaged?: true;
}

/** One block of a bundle. */
export type BundleBlock =
  | { readonly authority: TrustedAuthority; readonly refused?: never }
  | { readonly authority?: never; readonly refused: RefusedBlock };

/** RFC 7468: a label between two lines, and no block in another one. */
const BLOCK = /-----BEGIN ([^-\n]*)-----(?:(?!-----BEGIN )[\s\S])*?-----END \1-----/g;

/** Matches the remains of a block without an end or a beginning. */
const MARK = /-----(BEGIN|END) /;

/** Lines that people write as comments. */
const COMMENTS = /^\s*#.*$/gm;

/** NIST SP 800-131A disallows shorter RSA keys, and curves of less than 224 bits. */
const LEAST_BITS = 2_048;
const WEAK_CURVES: ReadonlySet<string> = new Set(["secp160r1", "secp192k1", "prime192v1"]);

/** Signatures with MD2, MD5 and SHA-1 (RFC 8017, RFC 3279; 1.3.14.3.2.29 is the OIW's), which NIST SP 800-131A disallows. */
const weakSignatures: Readonly<Record<string, string>> = {
  "1.2.840.113549.1.1.2": "MD2",
  "1.2.840.113549.1.1.4": "MD5",
  "1.2.840.113549.1.1.5": "SHA-1",
  "1.3.14.3.2.29": "SHA-1",
  "1.2.840.10045.4.1": "SHA-1",
  "1.2.840.10040.4.3": "SHA-1",
};

const nameIn = (lines: string): string => lines.split("\n").join(", ");

const isRoot = (certificate: X509Certificate): boolean =>
  certificate.subject === certificate.issuer && certificate.verify(certificate.publicKey);

const momentOf = (time: string): string => new Date(time).toISOString();

/** Reason why a key is too weak; null for one that is not. */
function weakKey({ publicKey }: X509Certificate): string | null {
  const { asymmetricKeyType, asymmetricKeyDetails: { modulusLength = 0, namedCurve = "" } = {} } = publicKey;
  if (asymmetricKeyType === "dsa") return "its key is a DSA key";
  if (asymmetricKeyType?.startsWith("rsa") && modulusLength < LEAST_BITS)
    return `its RSA key has ${modulusLength} bits, fewer than ${LEAST_BITS}`;
  return WEAK_CURVES.has(namedCurve) ? `its key is on the weak curve ${namedCurve}` : null;
}

/** The signature of a root says nothing, because its own key made it. */
function weakSignature(certificate: X509Certificate): string | null {
  const hash = weakSignatures[certificate.signatureAlgorithmOid];
  return hash === undefined || isRoot(certificate) ? null : `it is signed with ${hash}`;
}

/** Reason why no machine gets a certificate; null for one that machines may get. @param now milliseconds since the epoch */
function refusalOf(certificate: X509Certificate, now: number): string | null {
  const { validFrom, validTo, ca } = certificate;
  if (!ca) return "it is not the certificate of an authority (basicConstraints)";
  if (Date.parse(validTo) <= now) return `it expired at ${utc(momentOf(validTo))}`;
  if (Date.parse(validFrom) > now) return `it is not valid before ${utc(momentOf(validFrom))}`;
  return weakKey(certificate) ?? weakSignature(certificate);
}

const factsOf = (certificate: X509Certificate): Omit<TrustedAuthority, "pem"> => ({
  store: isRoot(certificate) ? "Root" : "CA",
  thumbprint: certificate.fingerprint.replaceAll(":", ""),
  subject: nameIn(certificate.subject),
  issuer: nameIn(certificate.issuer),
  fingerprint: certificate.fingerprint256,
  notAfter: momentOf(certificate.validTo),
});

const damaged = (reason: string): BundleBlock => ({ refused: { certificate: null, reason, isDamaged: true } });

function blockOf(text: string, label: string, now: number): BundleBlock {
  if (label !== "CERTIFICATE")
    return { refused: { certificate: null, reason: `a PEM block is a ${label}, not a CERTIFICATE` } };
  try {
    const certificate = new X509Certificate(text);
    const facts = factsOf(certificate);
    const reason = refusalOf(certificate, now);
    if (reason !== null) return { refused: { certificate: facts, reason } };
    return { authority: { ...facts, pem: certificate.toString() } };
  } catch {
    return damaged("a PEM block cannot be read as a certificate");
  }
}

/**
 * Splits a bundle into its certificates, each judged by itself. Text between the blocks is a comment (RFC 7468), but a
 * bundle of other text alone is none: Windows exports certificates as DER.
 * @param now milliseconds since the epoch
 */
export function blocksIn(pem: string, now: number): readonly BundleBlock[] {
  const blocks = [...pem.matchAll(BLOCK)].map(([text, label = ""]) => blockOf(text, label, now));
  if (MARK.test(pem.replaceAll(BLOCK, ""))) return [...blocks, damaged("a PEM block is cut off")];
  const isOther = blocks.length === 0 && pem.replaceAll(COMMENTS, "").trim() !== "";
  return isOther ? [damaged("it has no PEM block; openssl x509 -inform der turns a DER file into one")] : blocks;
}

/** Reads the certificate of a machine's file. @param pem as `blocksIn` returns it */
export function storedCertificate(pem: string): { readonly subject: string; readonly base64: string } {
  const certificate = new X509Certificate(pem);
  return { subject: nameIn(certificate.subject), base64: certificate.raw.toString("base64") };
}
