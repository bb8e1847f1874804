// @peculiar/x509 needs the reflection API before it is loaded.
import "reflect-metadata";
import { webcrypto, X509Certificate } from "node:crypto";
import { BasicConstraintsExtension, X509CertificateGenerator } from "@peculiar/x509";

/** Properties of a certificate in which it differs from a sound root. */
export interface Issued {
  readonly subject: string;
  /** By default the certificate is signed with its own key. */
  readonly by?: Issuer;
  readonly isAuthority?: boolean;
  /** Bits of an RSA key; by default the key is on the curve P-256. */
  readonly rsa?: number;
  readonly hash?: "SHA-1" | "SHA-256";
  readonly from?: string;
  readonly until?: string;
}

/** A certificate with its key. */
export interface Issuer {
  readonly pem: string;
  readonly thumbprint: string;
  /** As OpenSSL shows it. */
  readonly fingerprint: string;
  readonly subject: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

const algorithmOf = ({ rsa, hash = "SHA-256" }: Pick<Issued, "rsa" | "hash">) =>
  rsa === undefined
    ? { name: "ECDSA", namedCurve: "P-256", hash }
    : { name: "RSASSA-PKCS1-v1_5", modulusLength: rsa, publicExponent: new Uint8Array([1, 0, 1]), hash };

/** Issues a certificate. */
export async function issue(issued: Issued): Promise<Issuer> {
  const { subject, by, isAuthority = true, from = "2025-01-01", until = "2045-01-01" } = issued;
  const keys = (await webcrypto.subtle.generateKey(algorithmOf(issued), true, [
    "sign",
    "verify",
  ])) as webcrypto.CryptoKeyPair;
  const made = await X509CertificateGenerator.create(
    {
      subject,
      issuer: by?.subject ?? subject,
      publicKey: keys.publicKey,
      signingKey: (by?.keys ?? keys).privateKey,
      signingAlgorithm: by ? algorithmOf({ hash: issued.hash ?? "SHA-256" }) : algorithmOf(issued),
      notBefore: new Date(from),
      notAfter: new Date(until),
      extensions: [new BasicConstraintsExtension(isAuthority, undefined, true)],
    },
    webcrypto,
  );
  const pem = `${made.toString("pem")}\n`;
  const { fingerprint, fingerprint256 } = new X509Certificate(pem);
  return { pem, thumbprint: fingerprint.replaceAll(":", ""), fingerprint: fingerprint256, subject, keys };
}
