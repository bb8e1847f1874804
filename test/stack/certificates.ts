import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { BasicConstraintsExtension, X509CertificateGenerator } from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/**
 * A certificate that signed itself, in PEM.
 * @param isAuthority CA:TRUE
 * @param until its last moment
 */
export async function certificate(isAuthority: boolean, until: Date): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
  const made = await X509CertificateGenerator.createSelfSigned({
    name: "CN=a certificate of a test",
    notBefore: new Date(Date.UTC(2025, 0, 1)),
    notAfter: until,
    signingAlgorithm: algorithm,
    keys,
    extensions: [new BasicConstraintsExtension(isAuthority, undefined, true)],
  });
  return `${made.toString("pem")}\n`;
}
